//! Scores candidates by their vectors, so that hits have exact scores.

use kernels::prefetch_start;
use ranking::{Hit, TopK, by_rank};

use crate::Similarity;
use crate::hnsw::codes::QuantizedQuery;
use crate::hnsw::scorer::Scorer;

/// A candidate is left out if its score by codes plus this many standard deviations of that score's error is below the
/// `k`-th best exact score. `code_scan.rs` chooses candidates with the same number of standard deviations.
pub(super) const RESCORE_DEVIATIONS: f32 = 3.0;
/// While a candidate is scored, the vector of the candidate this many places after it is prefetched.
const PREFETCH_DISTANCE: usize = 4;

/// Returns the `k` best candidates by their exact scores, best first. `candidates` are sorted by their scores by codes,
/// best first.
pub(crate) fn rescore(
    scorer: &Scorer,
    vector: &[f32],
    query: &QuantizedQuery,
    candidates: &[Hit],
    k: usize,
) -> Vec<Hit> {
    let view = scorer.view();
    // The factor and the offset turn an exact score into a number that can be compared with scores by codes. A score by
    // codes is about q·x for inner products and cosine, and about q·x − |x|²/2 = (−|q − x|² + |q|²) / 2 for L2.
    let (factor, offset) = match view.similarity {
        Similarity::Dot | Similarity::Cosine => (1.0, 0.0),
        Similarity::L2 => (0.5, 0.5 * query.length() * query.length()),
    };
    // A score is NaN only if the file has invalid vectors. It then becomes −∞ and ranks last.
    let score = |ord: u32| Hit { ord, score: view.score(vector, ord).max(f32::NEG_INFINITY) };
    let prefetch_candidate = |at: usize| {
        if let Some(candidate) = candidates.get(at) {
            prefetch_start(view.row(candidate.ord));
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
        // If a corrupt file makes a number NaN, this comparison is false, and the candidate is scored.
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
