use kernels::prefetch;
use ranking::{Hit, TopK, by_rank};

use crate::Similarity;
use crate::hnsw::codes::Target;
use crate::hnsw::scorer::Closeness;

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
    // Only a file made by hand brings NaN; nothing is worse.
    let scored = |ord: u32| Hit { ord, score: view.score(query, ord).max(f32::NEG_INFINITY) };
    let fetch = |at: usize| {
        if let Some(ahead) = candidates.get(at) {
            prefetch(view.row(ahead.ord));
        }
    };
    (0..AHEAD).for_each(fetch);
    let mut best = TopK::new(k);
    let (first, others) = candidates.split_at(k.min(candidates.len()));
    best.extend(first.iter().enumerate().map(|(at, candidate)| {
        fetch(at + AHEAD);
        scored(candidate.ord)
    }));
    for (at, candidate) in (k..).zip(others) {
        let Some(worst) = best.threshold() else { break };
        let bound = worst.score * factor + offset;
        // Not of NaN, which only a file made by hand brings.
        if candidate.score + DEVIATIONS * closeness.codes().deviation(target, candidate.ord) < bound {
            continue;
        }
        fetch(at + AHEAD);
        best.push(scored(candidate.ord));
    }
    let hits = best.into_sorted();
    debug_assert!(hits.is_sorted_by(|a, b| by_rank(a, b).is_lt()));
    hits
}
