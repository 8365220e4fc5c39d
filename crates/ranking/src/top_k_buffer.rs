//! Selects the k best hits with a buffer and quickselect.

use crate::hit::Hit;

/// Minimum number of hits that are gathered beyond `k` before the best are selected.
const MIN_SURPLUS: usize = 24;
/// Maximum number of hits for which memory is reserved in advance: a large `k` may never be reached.
const MAX_INITIAL_CAPACITY: usize = 2048;

/// Keeps the `k` best of hits that are pushed in ascending order of ords.
///
/// Hits are gathered in a buffer of about 2 `k`; when it is full, quickselect drops all but the best `k`. This costs constant time
/// per hit for any `k`, while the heap of [`TopK`](crate::TopK) costs up to log `k`. In return, the threshold is less tight: it
/// rises only with each selection. tantivy's `TopNComputer` and Faiss's `ReservoirTopN` work the same way.
///
/// ```
/// use ranking::{Hit, TopKBuffer};
///
/// let mut best = TopKBuffer::new(2);
/// for (ord, score) in (0..).zip([1.0, 3.0, 2.0, 3.0]) {
///     best.push(Hit { ord, score });
/// }
/// assert_eq!(best.into_sorted(), [Hit { ord: 1, score: 3.0 }, Hit { ord: 3, score: 3.0 }]);
/// ```
#[derive(Debug, Clone)]
pub struct TopKBuffer {
    k: usize,
    /// The [rank keys](Hit::rank_key) of hits.
    keys: Vec<u64>,
    min_score: f32,
}

impl TopKBuffer {
    /// Keeps `k` hits; `k` may be 0.
    #[must_use]
    pub fn new(k: usize) -> Self {
        let min_score = if k == 0 { f32::NAN } else { f32::NEG_INFINITY };
        let capacity = buffer_len(k).min(MAX_INITIAL_CAPACITY);
        Self { k, keys: Vec::with_capacity(capacity), min_score }
    }

    /// The lowest score that a later hit needs to be kept; NaN if no score suffices.
    #[inline]
    #[must_use]
    pub fn min_score(&self) -> f32 {
        self.min_score
    }

    /// Offers a hit, whose ord must be above all earlier ones. Hits that score below [`min_score`](Self::min_score), or
    /// NaN, are dropped.
    #[inline]
    pub fn push(&mut self, hit: Hit) {
        // False for NaN on either side.
        if hit.score >= self.min_score {
            self.keys.push(hit.rank_key());
            if self.keys.len() >= buffer_len(self.k) {
                self.select();
            }
        }
    }

    /// Offers the hits that were pushed to another buffer, all of whose ords must be above those of this one.
    pub fn append(&mut self, later: Self) {
        self.keys.extend(later.keys);
        self.select();
    }

    /// The kept hits, best first.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Hit> {
        self.select();
        // Keys are distinct, so an unstable sort has one outcome.
        self.keys.sort_unstable();
        self.keys.into_iter().map(Hit::from_rank_key).collect()
    }

    /// Drops all but the `k` best.
    fn select(&mut self) {
        if self.keys.len() < self.k || self.k == 0 {
            return;
        }
        let (_, &mut last, _) = self.keys.select_nth_unstable(self.k - 1);
        self.keys.truncate(self.k);
        // A later hit with the same score as the last kept hit has a higher ord and ranks after it.
        let last = Hit::from_rank_key(last).score;
        self.min_score = if last < f32::INFINITY { last.next_up() } else { f32::NAN };
    }
}

/// Number of hits at which the best `k` are selected.
#[inline]
fn buffer_len(k: usize) -> usize {
    k.saturating_add(k.max(MIN_SURPLUS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hit::by_rank;
    use proptest::prelude::*;

    /// A few distinct scores, so that there are many ties.
    fn score() -> impl Strategy<Value = f32> {
        let rare = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN, 1e-45, -1e-45];
        prop_oneof![4 => (-4i8..4).prop_map(f32::from), 1 => prop::sample::select(rare.to_vec())]
    }

    proptest! {
        #[test]
        fn keeps_what_a_full_sort_would_keep(
            scores in prop::collection::vec(score(), 0..400),
            k in 0usize..90,
            appended_from in 0u32..500,
        ) {
            let hits: Vec<Hit> = scores.iter().zip(0..).map(|(&score, ord)| Hit { ord, score }).collect();
            let (mut best, mut later) = (TopKBuffer::new(k), TopKBuffer::new(k));
            for &hit in &hits {
                if hit.ord < appended_from { &mut best } else { &mut later }.push(hit);
            }
            best.append(later);

            let mut expected = hits;
            expected.retain(|hit| !hit.score.is_nan());
            expected.sort_by(by_rank);
            expected.truncate(k);
            prop_assert_eq!(best.into_sorted(), expected);
        }
    }

    #[test]
    fn only_hits_that_rank_before_the_last_can_enter() {
        let mut best = TopKBuffer::new(2);
        (0..32).for_each(|ord| best.push(Hit { ord, score: 1.0 }));
        assert_eq!(best.min_score(), 1.0f32.next_up());
        (32..64).for_each(|ord| best.push(Hit { ord, score: f32::INFINITY }));
        assert!(best.min_score().is_nan());
        best.push(Hit { ord: 64, score: f32::INFINITY });
        assert_eq!(best.into_sorted(), [32, 33].map(|ord| Hit { ord, score: f32::INFINITY }));
    }
}
