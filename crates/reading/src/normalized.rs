use crate::candidates::{Candidate, Scored, by_score};
use crate::softmax::softmax;

/// s'_ij = softmax(r)_i · softmax(s_i)_j, the first over all passages, the second over the spans kept of passage i
/// (Mao et al., 2020, "Generation-Augmented Retrieval"; Ma et al., 2021, §2.2). Best first.
pub(crate) fn score(candidates: &[Candidate], relevance: &[f64]) -> Vec<Scored> {
    let passages = softmax(relevance);
    let mut scored = Vec::with_capacity(candidates.len());
    for spans in candidates.chunk_by(|a, b| a.passage == b.passage) {
        let share = passages[spans[0].passage];
        let within = softmax(&spans.iter().map(Candidate::score).collect::<Vec<_>>());
        for part in within {
            scored.push(Scored { candidate: scored.len(), score: share * part });
        }
    }
    scored.sort_by(by_score);
    scored
}
