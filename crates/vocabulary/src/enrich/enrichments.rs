//! The result of the search for enrichments, and the state of an unfinished search.

/// Single-token enrichments of a whole vocabulary: for each token, a vector for which the head gives the token a
/// probability near 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Enrichments {
    /// Dimension of the vectors.
    pub dim: usize,
    /// The vector of every token, `[vocabulary_size, dim]`.
    pub vectors: Vec<f32>,
    /// The loss of each vector, in nats.
    pub losses: Vec<f32>,
    /// For each token, a lower bound on the loss that any vector can have; see
    /// [`Losses::bounds`](super::Losses::bounds).
    pub bounds: Vec<f32>,
    /// Number of optimizer steps of each token.
    pub steps: Vec<u32>,
}

/// The tokens whose search has not ended, with their current vectors and the state of the optimizer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Unfinished {
    /// Number of steps taken, which is the same for all unfinished tokens.
    pub steps: u32,
    /// The ids of the tokens, in ascending order.
    pub tokens: Vec<u32>,
    /// The current vectors, `[tokens, dim]`.
    pub vectors: Vec<f32>,
    /// Adam's running means of gradients, `[tokens, dim]`.
    pub first_moments: Vec<f32>,
    /// Adam's running means of squared gradients, `[tokens, dim]`.
    pub second_moments: Vec<f32>,
}
