//! Spans of all passages of a question, scored, and put together where they are one answer.

use std::cmp::Ordering;

use crate::kept::TokenSum;
use crate::{SpanScoring, normalized, original, probability};

/// A span of one of the passages. They come passage by passage, best span first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub passage: usize,
    pub start: f32,
    pub end: f32,
    /// Which answer it is; none if its text is blank.
    pub answer: Option<u32>,
}

impl Candidate {
    /// start logit + end logit.
    pub fn score(&self) -> f64 {
        f64::from(self.start) + f64::from(self.end)
    }
}

/// A candidate by its position, with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    pub candidate: usize,
    pub score: f64,
}

impl SpanScoring {
    /// Whether the scores of equal answers are added up. Otherwise an answer has the score of its best span.
    pub(crate) fn adds_up(self) -> bool {
        match self {
            Self::Original | Self::Probability => false,
            Self::Normalized | Self::SummedProbability => true,
        }
    }
}

/// The higher score first; of equal ones the earlier candidate.
pub(crate) fn by_score(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.candidate.cmp(&b.candidate))
}

/// The answers, best first, each once, as its best candidate; where scores of equal answers add up, with the sum of them.
/// Of equal scores the one whose best candidate ranked first. `relevance` and `tokens` (start, end) have one entry a passage; answers are numbered
/// below `answers`.
pub(crate) fn rank(
    candidates: &[Candidate],
    relevance: &[f64],
    tokens: impl Fn(usize) -> (TokenSum, TokenSum),
    scoring: SpanScoring,
    answers: usize,
) -> Vec<Scored> {
    let scored = match scoring {
        SpanScoring::Original => original::score(candidates, relevance),
        SpanScoring::Normalized => normalized::score(candidates, relevance),
        SpanScoring::Probability | SpanScoring::SummedProbability => {
            probability::score(candidates, relevance, tokens)
        }
    };
    let mut places = vec![usize::MAX; answers];
    let mut ranked: Vec<Scored> = Vec::with_capacity(answers);
    for scored in scored {
        let Some(answer) = candidates[scored.candidate].answer else { continue };
        let place = &mut places[answer as usize];
        if *place == usize::MAX {
            *place = ranked.len();
            ranked.push(scored);
        } else if scoring.adds_up() {
            ranked[*place].score += scored.score;
        }
    }
    if scoring.adds_up() {
        // Stable: of equal sums the one whose best span ranked first.
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    ranked
}
