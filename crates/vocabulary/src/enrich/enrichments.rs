//! What a search for enrichments has found, and what it needs to go on.

/// Single-token enrichments of a whole vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub struct Enrichments {
    /// Numbers of a vector.
    pub dim: usize,
    /// s_t of every token t, `[vocabulary, dim]`.
    pub vectors: Vec<f32>,
    /// The loss of each, in nats.
    pub losses: Vec<f32>,
    /// A lower bound on the loss of every vector; see [`Losses::bounds`](super::Losses::bounds).
    pub bounds: Vec<f32>,
    /// Steps that each took.
    pub steps: Vec<u32>,
}

/// Tokens that are not done, with what they need to go on.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Unfinished {
    /// Steps taken, the same of all.
    pub steps: u32,
    pub tokens: Vec<u32>,
    /// `[tokens, dim]`, as the two moments.
    pub vectors: Vec<f32>,
    pub first: Vec<f32>,
    pub second: Vec<f32>,
}
