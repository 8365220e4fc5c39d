//! The probability of a span under DPR's reader (Karpukhin et al., 2020, "Dense Passage Retrieval for Open-Domain
//! Question Answering", equations 3–5).

use super::candidate::{Candidate, ScoredCandidate, by_score};
use super::softmax::softmax;
use crate::reader_output::LogitSum;

/// Returns the scored candidates, best first. The score of a span is P_start · P_end · P_selected: P_start and P_end
/// are softmaxes over the start logits and the end logits of the passage's tokens; P_selected is a softmax over the
/// relevance of all passages. `logit_sums` returns the denominators of P_start and P_end for a passage.
pub(crate) fn score(
    candidates: &[Candidate],
    relevance: &[f64],
    logit_sums: impl Fn(usize) -> (LogitSum, LogitSum),
) -> Vec<ScoredCandidate> {
    let selected = softmax(relevance);
    let mut scored: Vec<ScoredCandidate> = candidates
        .iter()
        .enumerate()
        .map(|(candidate, span)| {
            let (start_logit_sum, end_logit_sum) = logit_sums(span.passage);
            let span_probability =
                start_logit_sum.softmax(span.start_logit) * end_logit_sum.softmax(span.end_logit);
            ScoredCandidate { candidate, score: span_probability * selected[span.passage] }
        })
        .collect();
    scored.sort_by(by_score);
    scored
}
