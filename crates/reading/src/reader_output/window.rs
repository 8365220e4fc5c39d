//! The output of a reader for one model input.

use std::ops::Range;

/// The output of a reader for one passage, or for one of the overlapping windows in which a long passage was read. Each
/// of the four slices has one entry per token of the window.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    /// What the window's relevance is computed from.
    pub relevance: Relevance,
    /// Start logits.
    pub start: &'a [f32],
    /// End logits.
    pub end: &'a [f32],
    /// Each token as a range of bytes in the text of the whole passage.
    pub offsets: &'a [Range<u32>],
    /// For each token, the index of the word that it belongs to. Tokens of one word have the same index.
    pub words: &'a [u32],
}

/// What the relevance of a window is computed from. The relevance says how likely the window is to contain the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relevance {
    /// The reader's relevance logit (Karpukhin et al., 2020, equation 5).
    Logit(f32),
    /// The score that the reader gives to "the window has no answer". The relevance is the score of the best span minus
    /// this score (Devlin et al., 2019, §4.3). In a window without spans, the score of the best span counts as 0.
    NoAnswer(f32),
}
