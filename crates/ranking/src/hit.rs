use std::cmp::Ordering;

/// A retrieved item by its position in an index, with its score; higher is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Position in the index, from 0.
    pub ord: u32,
    /// Comparable within one list only. Never NaN.
    pub score: f32,
}

/// Orders hits as they are ranked: the higher score first, of equal scores the earlier ord.
///
/// ```
/// use ranking::{Hit, by_rank};
///
/// let mut hits = [Hit { ord: 2, score: 1.0 }, Hit { ord: 1, score: 1.0 }, Hit { ord: 3, score: 2.0 }];
/// hits.sort_unstable_by(by_rank);
/// assert_eq!(hits.map(|hit| hit.ord), [3, 1, 2]);
/// ```
#[must_use]
pub fn by_rank(a: &Hit, b: &Hit) -> Ordering {
    b.score.total_cmp(&a.score).then(a.ord.cmp(&b.ord))
}
