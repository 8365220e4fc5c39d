//! The normalized scoring of spans, by two softmaxes.

use super::candidate::{Candidate, ScoredCandidate, by_score};
use super::softmax::softmax;

/// Scores span j of passage i by softmax(r)_i · softmax(s_i)_j: the first softmax is over the relevance of all passages,
/// the second over the selected spans of passage i (Mao et al., 2020, "Generation-Augmented Retrieval"; Ma et al., 2021,
/// §2.2). Best first.
pub(crate) fn score(candidates: &[Candidate], relevance: &[f64]) -> Vec<ScoredCandidate> {
    let passages = softmax(relevance);
    let mut scored = Vec::with_capacity(candidates.len());
    for spans in candidates.chunk_by(|a, b| a.passage == b.passage) {
        let passage_probability = passages[spans[0].passage];
        let span_probabilities = softmax(&spans.iter().map(Candidate::score).collect::<Vec<_>>());
        for span_probability in span_probabilities {
            scored.push(ScoredCandidate {
                candidate: scored.len(),
                score: passage_probability * span_probability,
            });
        }
    }
    scored.sort_by(by_score);
    scored
}
