//! Scores candidates by the chosen formula and merges them into ranked answers.

use super::candidate::{Candidate, ScoredCandidate};
use super::options::SpanScoring;
use super::{normalized, original, probability};
use crate::reader_output::LogitSum;

/// The answers, best first. Each is returned once, as its best candidate; under a summed scoring, with the sum of its
/// candidates' scores. Of equal scores, the answer whose best candidate ranks first comes first.
///
/// `relevance` has one entry per passage. `logit_sums` returns the sums over the start and the end logits of a passage.
/// Answers are numbered from 0 to `answer_count` − 1.
pub(crate) fn rank(
    candidates: &[Candidate],
    relevance: &[f64],
    logit_sums: impl Fn(usize) -> (LogitSum, LogitSum),
    scoring: SpanScoring,
    answer_count: usize,
) -> Vec<ScoredCandidate> {
    let scored = match scoring {
        SpanScoring::Original => original::score(candidates, relevance),
        SpanScoring::Normalized => normalized::score(candidates, relevance),
        SpanScoring::Probability | SpanScoring::SummedProbability => {
            probability::score(candidates, relevance, logit_sums)
        }
    };
    /// No rank yet.
    const NONE: usize = usize::MAX;
    let mut rank_of_answer = vec![NONE; answer_count];
    let mut ranked: Vec<ScoredCandidate> = Vec::with_capacity(answer_count);
    for scored in scored {
        let Some(answer) = candidates[scored.candidate].answer else { continue };
        let rank = &mut rank_of_answer[answer as usize];
        if *rank == NONE {
            *rank = ranked.len();
            ranked.push(scored);
        } else if scoring.is_summed() {
            ranked[*rank].score += scored.score;
        }
    }
    if scoring.is_summed() {
        // A stable sort keeps the order of the best candidates if sums are equal.
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    ranked
}
