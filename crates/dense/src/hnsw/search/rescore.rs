//! Scores candidates by their vectors, so that hits have exact scores.

use kernels::prefetch;
use ranking::{Hit, TopK, by_rank};

use crate::Similarity;
use crate::hnsw::codes::QuantizedQuery;
use crate::hnsw::scorer::Scorer;

/// A candidate is left out if its score by codes plus this many standard deviations does not reach the `k`-th best exact
/// score.
pub(super) const RESCORE_DEVIATIONS: f32 = 3.0;
/// How many candidates ahead vectors are prefetched.
const PREFETCH_DISTANCE: usize = 4;

/// Returns the `k` best candidates by their exact scores, best first. `candidates` come best first by their codes.
pub(crate) fn rescore(
    scorer: &Scorer,
    vector: &[f32],
    query: &QuantizedQuery,
    candidates: &[Hit],
    k: usize,
) -> Vec<Hit> {
    let view = scorer.view();
    // Turns an exact score into a score by codes: q·x for inner products; for distances
    // q·x − |x|²/2 = (−|q − x|² + |q|²) / 2.
    let (factor, offset) = match view.similarity {
        Similarity::Dot | Similarity::Cosine => (1.0, 0.0),
        Similarity::L2 => (0.5, 0.5 * query.length() * query.length()),
    };
    // Only a file with invalid vectors leads to NaN, which ranks last.
    let score = |ord: u32| Hit { ord, score: view.score(vector, ord).max(f32::NEG_INFINITY) };
    let prefetch_candidate = |at: usize| {
        if let Some(candidate) = candidates.get(at) {
            prefetch(view.row(candidate.ord));
        }
    };
    (0..PREFETCH_DISTANCE).for_each(prefetch_candidate);
    let mut best = TopK::new(k);
    let (first, others) = candidates.split_at(k.min(candidates.len()));
    best.extend(first.iter().enumerate().map(|(at, candidate)| {
        prefetch_candidate(at + PREFETCH_DISTANCE);
        score(candidate.ord)
    }));
    for (at, candidate) in (k..).zip(others) {
        let Some(worst) = best.threshold() else { break };
        let min_score = worst.score * factor + offset;
        let deviation = scorer.codes().score_deviation(query, candidate.ord);
        // False for NaN, which only files with invalid vectors lead to.
        if candidate.score + RESCORE_DEVIATIONS * deviation < min_score {
            continue;
        }
        prefetch_candidate(at + PREFETCH_DISTANCE);
        best.push(score(candidate.ord));
    }
    let hits = best.into_sorted();
    debug_assert!(hits.is_sorted_by(|a, b| by_rank(a, b).is_lt()));
    hits
}
