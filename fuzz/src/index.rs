//! Helpers of the targets `flat` and `hnsw`, which check the hits of searches.

use ranking::{Hit, by_rank};

/// Checks the hits of a search: there must be `count` hits, distinct and sorted, and the ord of each must satisfy
/// `is_allowed`.
///
/// # Panics
///
/// If the hits fail a check.
pub fn check_hits(hits: &[Hit], count: usize, is_allowed: impl Fn(u32) -> bool) {
    assert_eq!(hits.len(), count, "number of hits");
    assert!(hits.iter().all(|hit| is_allowed(hit.ord) && !hit.score.is_nan()), "{hits:?}");
    // `is_lt` also rejects a hit that occurs twice.
    assert!(hits.is_sorted_by(|a, b| by_rank(a, b).is_lt()), "{hits:?}");
}

/// Whether an ord is even; a filter for searches.
pub fn is_even(ord: u32) -> bool {
    ord.is_multiple_of(2)
}

/// Returns the ords and the bits of the scores, for exact comparisons.
pub fn bits(hits: &[Hit]) -> Vec<(u32, u32)> {
    hits.iter().map(|hit| (hit.ord, hit.score.to_bits())).collect()
}
