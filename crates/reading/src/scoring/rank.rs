//! Scores candidates by the chosen formula and merges them into ranked answers.

use super::candidate::{Candidate, ScoredCandidate};
use super::options::SpanScoring;
use super::{normalized, original, probability};
use crate::reader_output::LogitSum;

/// Returns the answers, best first. Each answer is returned once, as its best candidate. Under a
/// [summed](SpanScoring::is_summed) scoring, the score of an answer is the sum over all of its candidates; if two sums
/// are equal, the answer whose best candidate ranks first comes first.
///
/// `relevance` has one entry per passage. `logit_sums` returns the softmax denominators over the start logits and the
/// end logits of a passage. The answer indexes of the candidates must be below `answer_count`.
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
    /// The entry in `ranked_indexes` of an answer that is not in `ranked` yet.
    const NONE: usize = usize::MAX;
    // For each answer, its index in `ranked`.
    let mut ranked_indexes = vec![NONE; answer_count];
    let mut ranked: Vec<ScoredCandidate> = Vec::with_capacity(answer_count);
    for span in scored {
        let Some(answer) = candidates[span.candidate].answer else { continue };
        let index = &mut ranked_indexes[answer as usize];
        if *index == NONE {
            *index = ranked.len();
            ranked.push(span);
        } else if scoring.is_summed() {
            ranked[*index].score += span.score;
        }
    }
    if scoring.is_summed() {
        // The sort is stable: answers with equal sums stay in the order of their best candidates.
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    ranked
}
