//! Normalized scoring: the product of a softmax over passages and a softmax over the spans of a passage.

use super::candidate::{Candidate, ScoredCandidate, by_score};
use super::softmax::softmax;

/// Returns the scored candidates, best first.
///
/// The score of a span is the product of two probabilities: that of its passage, by a softmax over the relevance of all
/// passages, and that of the span, by a softmax over start logit + end logit of all candidates from the same passage
/// (Mao et al., 2020, "Generation-Augmented Retrieval"; Ma et al., 2021, "A Replication Study of Dense Passage
/// Retriever", §2.2).
pub(crate) fn score(candidates: &[Candidate], relevance: &[f64]) -> Vec<ScoredCandidate> {
    let passage_probabilities = softmax(relevance);
    let mut scored = Vec::with_capacity(candidates.len());
    for spans in candidates.chunk_by(|a, b| a.passage == b.passage) {
        let passage_probability = passage_probabilities[spans[0].passage];
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
