//! The options with which answers are computed from stored readings.

use crate::{Evidence, Merge, SpanScoring};

/// How answers are computed from stored readings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scoring {
    /// How spans are scored.
    pub spans: SpanScoring,
    /// The weights of the reader's relevance and of the retrieval score.
    pub evidence: Evidence,
    /// Which spans are the same answer.
    pub merge: Merge,
}
