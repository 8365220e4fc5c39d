//! Candidates: the spans that compete to be the answer to a question.

use std::cmp::Ordering;

/// A span of one of the passages. Lists of candidates are ordered by passage, and within a passage by descending score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    /// Index of the span's passage.
    pub passage: usize,
    /// Start logit of the span's first token.
    pub start_logit: f32,
    /// End logit of the span's last token.
    pub end_logit: f32,
    /// Index of the span's answer among the distinct answers to the question; `None` if the span's text is blank. Spans
    /// with the same answer are merged.
    pub answer: Option<u32>,
}

impl Candidate {
    /// Returns start logit + end logit.
    pub fn score(&self) -> f64 {
        f64::from(self.start_logit) + f64::from(self.end_logit)
    }
}

/// A candidate with the score that a formula gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoredCandidate {
    /// Index in the list of candidates.
    pub candidate: usize,
    pub score: f64,
}

/// Orders by descending score. If scores are equal, the earlier candidate comes first.
pub(crate) fn by_score(a: &ScoredCandidate, b: &ScoredCandidate) -> Ordering {
    b.score.total_cmp(&a.score).then(a.candidate.cmp(&b.candidate))
}
