//! The result of the search for enrichments, and the state of an unfinished search.

/// Single-token enrichments of a whole vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub struct Enrichments {
    /// Dimension of the vectors.
    pub dim: usize,
    /// The vector of every token, `[vocabulary_size, dim]`.
    pub vectors: Vec<f32>,
    /// The loss of each vector, in nats.
    pub losses: Vec<f32>,
    /// For each token, a lower bound on the loss of every vector; see [`Losses::bounds`](super::Losses::bounds).
    pub bounds: Vec<f32>,
    /// Number of optimizer steps of each token.
    pub steps: Vec<u32>,
}

/// Tokens that are not done, with their vectors and the state of the optimizer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Unfinished {
    /// Number of steps taken, which is the same for all unfinished tokens.
    pub steps: u32,
    pub tokens: Vec<u32>,
    /// `[tokens, dim]`.
    pub vectors: Vec<f32>,
    /// Adam's means of gradients, `[tokens, dim]`.
    pub first_moments: Vec<f32>,
    /// Adam's means of squared gradients, `[tokens, dim]`.
    pub second_moments: Vec<f32>,
}
