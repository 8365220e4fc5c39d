use crate::candidates::{Candidate, Scored};

/// The best span of the passage with the highest relevance (Ma et al., 2021, §2.2); then those of the next one, and
/// so on. Scores are start + end logits, comparable within a passage only. Of equal relevance the earlier passage.
pub(crate) fn score(candidates: &[Candidate], relevance: &[f64]) -> Vec<Scored> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    // Stable, and candidates come passage by passage, best span first.
    order.sort_by(|&a, &b| relevance[candidates[b].passage].total_cmp(&relevance[candidates[a].passage]));
    order.into_iter().map(|candidate| Scored { candidate, score: candidates[candidate].score() }).collect()
}
