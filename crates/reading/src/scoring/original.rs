//! The original scoring of DPR's reader: the best span of the most relevant passage.

use super::candidate::{Candidate, ScoredCandidate};

/// Orders candidates by the relevance of their passage, then by their span score (Ma et al., 2021, §2.2). Of equally
/// relevant passages, the earlier one comes first. Scores are start logit + end logit; they are comparable within one
/// passage only.
pub(crate) fn score(candidates: &[Candidate], relevance: &[f64]) -> Vec<ScoredCandidate> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    // A stable sort keeps the order within a passage, best span first.
    order.sort_by(|&a, &b| relevance[candidates[b].passage].total_cmp(&relevance[candidates[a].passage]));
    order
        .into_iter()
        .map(|candidate| ScoredCandidate { candidate, score: candidates[candidate].score() })
        .collect()
}
