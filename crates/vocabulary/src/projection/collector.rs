//! What receives the logits of a vector: one collector for each vector, as Lucene has one for each query.

use std::ops::Range;

/// Tokens of a block.
pub(super) const BLOCK_TOKENS: usize = 128;
/// Tokens of a share: a thread works on one or more of them. Always the same, so that sums over a share are.
pub(super) const SHARE_TOKENS: usize = 32 * BLOCK_TOKENS;

/// What becomes of the logits of one vector over shares of the vocabulary that follow each other.
pub(crate) trait LogitCollector: Send {
    /// The products of the decoder's rows `tokens` with the vector; to be made logits with `bias`.
    fn block(&mut self, tokens: Range<usize>, products: &mut [f32], bias: &[f32]);
    /// Takes what was gathered of the tokens that follow.
    fn merge(&mut self, next: Self);
}
