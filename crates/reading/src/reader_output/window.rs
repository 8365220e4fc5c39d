//! A reader's output for one model input.

use std::ops::Range;

/// A reader's output for one passage, or for one of the overlapping windows in which a long passage was read. The four
/// slices have one entry per token of the window's text.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    /// How well the window answers the question.
    pub relevance: Relevance,
    /// Start logits.
    pub start: &'a [f32],
    /// End logits.
    pub end: &'a [f32],
    /// The bytes of each token in the passage's whole text.
    pub offsets: &'a [Range<u32>],
    /// The number of each token's word. Tokens of one word have the same number.
    pub words: &'a [u32],
}

/// How well a window answers the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relevance {
    /// The reader's relevance logit (Karpukhin et al., 2020, equation 5).
    Logit(f32),
    /// The score of the null answer. Relevance is the score of the best span minus this score (Devlin et al., 2019,
    /// §4.3). A window without spans counts as if its best span had the score 0.
    NoAnswer(f32),
}
