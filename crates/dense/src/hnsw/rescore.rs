use kernels::prefetch;
use ranking::{Hit, TopK, by_rank};

use super::closeness::Closeness;
use super::codes::Target;
use crate::Similarity;

/// Standard deviations by which a candidate may have been judged too low.
pub(super) const DEVIATIONS: f32 = 3.0;
/// Rows that are fetched before they are scored.
const AHEAD: usize = 4;

/// The `k` best of the candidates, which come nearest first as their codes have it, by their scores for the prepared
/// query, best first. Candidates that are too far behind the `k`-th best to be among them are not scored.
pub(crate) fn rescore(
    closeness: &Closeness,
    query: &[f32],
    target: &Target,
    candidates: &[Hit],
    k: usize,
) -> Vec<Hit> {
    let view = closeness.view();
    // What a score is in terms of closeness, which for distances is half of it and lacks |q|².
    let (factor, offset) = match view.similarity {
        Similarity::Dot | Similarity::Cosine => (1.0, 0.0),
        Similarity::L2 => (0.5, 0.5 * target.length() * target.length()),
    };
    candidates.iter().take(AHEAD).for_each(|candidate| prefetch(view.row(candidate.ord)));
    let mut best = TopK::new(k);
    for (at, candidate) in candidates.iter().enumerate() {
        if let Some(worst) = best.threshold() {
            let bound = worst.score * factor + offset;
            if candidate.score + DEVIATIONS * closeness.codes().deviation(target, candidate.ord) < bound {
                continue;
            }
        }
        if let Some(ahead) = candidates.get(at + AHEAD) {
            prefetch(view.row(ahead.ord));
        }
        // Only a file made by hand brings NaN; nothing is worse.
        let score = view.score(query, candidate.ord).max(f32::NEG_INFINITY);
        best.push(Hit { ord: candidate.ord, score });
    }
    let hits = best.into_sorted();
    debug_assert!(hits.is_sorted_by(|a, b| by_rank(a, b).is_lt()));
    hits
}
