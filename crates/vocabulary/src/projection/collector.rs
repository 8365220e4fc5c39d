//! The interface through which the scan of the decoder (`scan.rs`) passes logits to the code that uses them.

use std::ops::Range;

/// Number of tokens whose logits are computed at once. The logits of a block, for a group of vectors, fit in the L2
/// cache.
pub(super) const BLOCK_TOKENS: usize = 128;
/// Number of tokens in a part of the vocabulary. A part is always scanned by one thread, and its size is fixed, so that
/// sums over a part have the same bits for any number of threads.
pub(super) const PART_TOKENS: usize = 32 * BLOCK_TOKENS;

/// Receives the logits of one vector for consecutive blocks of tokens, as a collector in Lucene receives hits.
pub(crate) trait LogitCollector: Send {
    /// Receives the dot products of the transformed vector with the decoder's rows `tokens`, and the biases of these
    /// tokens. A logit is a product plus the token's bias. The collector may overwrite `products`.
    fn collect(&mut self, tokens: Range<usize>, products: &mut [f32], bias: &[f32]);
    /// Adds the results of another collector for the same vector, which received the tokens after those of this one.
    fn merge(&mut self, next: Self);
}
