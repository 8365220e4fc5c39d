//! The probability of a span under DPR's reader.

use super::candidate::{Candidate, ScoredCandidate, by_score};
use super::softmax::softmax;
use crate::reader_output::LogitSum;

/// Scores spans by P_start · P_end · P_selected: the first two are softmaxes over the passage's tokens, the third is the
/// softmax over the passages' relevance (Karpukhin et al., 2020, equations 3–5). Best first.
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
            let (starts, ends) = logit_sums(span.passage);
            let score = starts.softmax(span.start) * ends.softmax(span.end) * selected[span.passage];
            ScoredCandidate { candidate, score }
        })
        .collect();
    scored.sort_by(by_score);
    scored
}
