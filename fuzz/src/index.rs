use ranking::{Hit, by_rank};

/// What must hold of the hits of any index, whatever is in its file: there are `count` of them, distinct, in order, and
/// each is `allowed`.
///
/// # Panics
///
/// If it does not.
pub fn check_hits(hits: &[Hit], count: usize, allowed: impl Fn(u32) -> bool) {
    assert_eq!(hits.len(), count, "hits");
    assert!(hits.iter().all(|hit| allowed(hit.ord) && !hit.score.is_nan()), "{hits:?}");
    // The order is strict, so none is there twice.
    assert!(hits.is_sorted_by(|a, b| by_rank(a, b).is_lt()), "{hits:?}");
}

/// An even row: a filter.
pub fn even(ord: u32) -> bool {
    ord.is_multiple_of(2)
}

/// A query and what comes of it, bit for bit.
pub fn bits(hits: &[Hit]) -> Vec<(u32, u32)> {
    hits.iter().map(|hit| (hit.ord, hit.score.to_bits())).collect()
}
