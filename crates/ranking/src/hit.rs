//! Hits, and the order in which they are ranked.

use std::cmp::Ordering;

/// A retrieved item: its ord, which is its position in an index, and its score. Higher scores are better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Position in the index, from 0.
    pub ord: u32,
    /// The score. It is comparable only within one list, and never NaN.
    pub score: f32,
}

impl Hit {
    /// Returns the hit as an integer. The ascending order of these integers is the order of [`by_rank`], and comparing
    /// integers is faster than comparing hits.
    ///
    /// ```
    /// use ranking::Hit;
    ///
    /// let hit = Hit { ord: 7, score: -1.5 };
    /// assert!(Hit { ord: 3, score: -1.5 }.rank_key() < hit.rank_key());
    /// assert_eq!(Hit::from_rank_key(hit.rank_key()), hit);
    /// ```
    #[inline]
    #[must_use]
    pub fn rank_key(self) -> u64 {
        let bits = self.score.to_bits();
        // Read as integers, the bits of positive floats ascend with their value, and those of negative floats descend.
        // Flipping all bits of positive floats except for the sign makes their integers descend too, and keeps them
        // below those of negative floats.
        let descending = if bits >> 31 == 1 { bits } else { !bits & !(1 << 31) };
        u64::from(descending) << 32 | u64::from(self.ord)
    }

    /// Returns the hit that has this [`rank_key`](Self::rank_key).
    #[inline]
    #[must_use]
    pub fn from_rank_key(key: u64) -> Self {
        let descending = (key >> 32) as u32;
        let bits = if descending >> 31 == 1 { descending } else { !descending & !(1 << 31) };
        Self { ord: key as u32, score: f32::from_bits(bits) }
    }
}

/// Compares two hits by rank: the higher score comes first; if scores are equal, the lower ord comes first.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rank_keys_have_the_order_of_hits(
            a in any::<(u32, f32)>(),
            b in any::<(u32, f32)>(),
            has_same_score in any::<bool>(),
        ) {
            let hit = |(ord, score)| Hit { ord, score };
            let (a, mut b) = (hit(a), hit(b));
            if has_same_score {
                b.score = a.score;
            }
            prop_assert_eq!(a.rank_key().cmp(&b.rank_key()), by_rank(&a, &b));
            prop_assert_eq!(by_rank(&Hit::from_rank_key(a.rank_key()), &a), Ordering::Equal);
        }
    }

    #[test]
    fn rank_keys_order_zeros_and_infinities() {
        let scores = [f32::INFINITY, f32::MAX, f32::MIN_POSITIVE, 0.0, -0.0, -1.0, f32::NEG_INFINITY];
        let keys = scores.map(|score| Hit { ord: 0, score }.rank_key());
        assert!(keys.is_sorted_by(|a, b| a < b));
    }
}
