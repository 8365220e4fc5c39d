//! The interface between the scan of the decoder and what is computed from its logits.

use std::ops::Range;

/// Number of tokens whose logits are computed at once. Those of a group of vectors fit the second cache level.
pub(super) const BLOCK_TOKENS: usize = 128;
/// Number of tokens that one thread scans without a break. It is fixed, so that sums over such a part of the vocabulary have
/// the same bits for any number of threads.
pub(super) const PART_TOKENS: usize = 32 * BLOCK_TOKENS;

/// Receives the logits of one vector for consecutive parts of the vocabulary, as a collector in Lucene receives hits.
pub(crate) trait LogitCollector: Send {
    /// Receives the products of the vector with the decoder's rows `tokens`. Adding `bias` makes them logits.
    fn collect(&mut self, tokens: Range<usize>, products: &mut [f32], bias: &[f32]);
    /// Adds what another collector received for the tokens that follow.
    fn merge(&mut self, next: Self);
}
