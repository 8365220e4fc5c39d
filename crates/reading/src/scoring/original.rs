//! The original scoring of DPR's reader (Dense Passage Retrieval): the best span of the most relevant passage.

use super::candidate::{Candidate, ScoredCandidate};

/// Orders candidates by the relevance of their passage, then by their score (Ma et al., 2021, "A Replication Study of
/// Dense Passage Retriever", §2.2). If passages are equally relevant, the earlier one comes first. A score is start
/// logit + end logit and is comparable only within one passage.
pub(crate) fn score(candidates: &[Candidate], relevance: &[f64]) -> Vec<ScoredCandidate> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    // Candidates come ordered by passage, and within a passage by descending score. A stable sort keeps both orders.
    order.sort_by(|&a, &b| relevance[candidates[b].passage].total_cmp(&relevance[candidates[a].passage]));
    order
        .into_iter()
        .map(|candidate| ScoredCandidate { candidate, score: candidates[candidate].score() })
        .collect()
}
