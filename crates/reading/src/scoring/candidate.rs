//! The spans that compete to be the answer to a question.

use std::cmp::Ordering;

/// A span of one of the passages. Candidates are ordered by passage, and by descending span score within a passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    /// Position of its passage.
    pub passage: usize,
    /// Start logit of its first token.
    pub start: f32,
    /// End logit of its last token.
    pub end: f32,
    /// Number of its answer; none if its text is blank.
    pub answer: Option<u32>,
}

impl Candidate {
    /// start logit + end logit.
    pub fn score(&self) -> f64 {
        f64::from(self.start) + f64::from(self.end)
    }
}

/// A candidate, by its position, with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoredCandidate {
    pub candidate: usize,
    pub score: f64,
}

/// Orders by descending score; of equal scores, the earlier candidate comes first.
pub(crate) fn by_score(a: &ScoredCandidate, b: &ScoredCandidate) -> Ordering {
    b.score.total_cmp(&a.score).then(a.candidate.cmp(&b.candidate))
}
