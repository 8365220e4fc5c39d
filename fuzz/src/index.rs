//! Checks of search results.

use ranking::{Hit, by_rank};

/// Checks the hits of an index: that there are `count` of them, distinct and sorted, and that each one `is_allowed`.
///
/// # Panics
///
/// If they are not.
pub fn check_hits(hits: &[Hit], count: usize, is_allowed: impl Fn(u32) -> bool) {
    assert_eq!(hits.len(), count, "hits");
    assert!(hits.iter().all(|hit| is_allowed(hit.ord) && !hit.score.is_nan()), "{hits:?}");
    // The order is strict, so there are no duplicates.
    assert!(hits.is_sorted_by(|a, b| by_rank(a, b).is_lt()), "{hits:?}");
}

/// A filter that allows even rows.
pub fn even(ord: u32) -> bool {
    ord.is_multiple_of(2)
}

/// The ords and the bits of the scores, for exact comparisons.
pub fn bits(hits: &[Hit]) -> Vec<(u32, u32)> {
    hits.iter().map(|hit| (hit.ord, hit.score.to_bits())).collect()
}
