//! Selects the k best hits with a buffer that quickselect reduces to the best k whenever it is full.

use crate::Hit;

/// Minimum number of hits that the buffer has room for in addition to `k`. With a small `k`, the buffer would otherwise
/// be full after every few hits.
const MIN_SURPLUS: usize = 24;
/// Maximum number of hits for which memory is reserved in advance, as the number of hits may never reach a large `k`.
const MAX_INITIAL_CAPACITY: usize = 2048;

/// Keeps the `k` best of all hits that are pushed. Hits must be pushed in ascending order of ords.
///
/// Hits are gathered in a buffer for 2 · `k` hits (`k` + 24 if `k` is below 24). When the buffer is full, quickselect
/// drops all but the best `k`. This costs amortized constant time per hit for any `k`, while the heap of
/// [`TopK`](crate::TopK) costs up to log `k`. The price is a looser minimum score: it rises only when the buffer is
/// full. tantivy's `TopNComputer` and Faiss's `ReservoirTopN` work the same way.
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
    /// The [rank keys](Hit::rank_key) of the gathered hits.
    keys: Vec<u64>,
    /// Hits below this score are dropped. NaN drops all hits.
    min_score: f32,
}

impl TopKBuffer {
    /// Makes an empty buffer from which the best `k` hits are selected. `k` may be 0.
    #[must_use]
    pub fn new(k: usize) -> Self {
        let min_score = if k == 0 { f32::NAN } else { f32::NEG_INFINITY };
        let capacity = buffer_len(k).min(MAX_INITIAL_CAPACITY);
        Self { k, keys: Vec::with_capacity(capacity), min_score }
    }

    /// Returns the lowest score with which a later hit may still be kept; NaN if none may.
    #[inline]
    #[must_use]
    pub fn min_score(&self) -> f32 {
        self.min_score
    }

    /// Adds a hit. Its ord must be above the ords of all earlier hits. A hit is dropped if its score is NaN or below
    /// [`min_score`](Self::min_score).
    #[inline]
    pub fn push(&mut self, hit: Hit) {
        // The comparison is false if either side is NaN.
        if hit.score >= self.min_score {
            self.keys.push(hit.rank_key());
            if self.keys.len() >= buffer_len(self.k) {
                self.select();
            }
        }
    }

    /// Adds the hits of another buffer. All of their ords must be above the ords of the hits in this buffer.
    pub fn append(&mut self, later: Self) {
        self.keys.extend(later.keys);
        self.select();
    }

    /// Returns the best `k` hits, best first.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Hit> {
        self.select();
        // An unstable sort suffices because the keys are distinct.
        self.keys.sort_unstable();
        self.keys.into_iter().map(Hit::from_rank_key).collect()
    }

    /// Drops all but the `k` best hits, and raises the minimum score.
    fn select(&mut self) {
        if self.keys.len() < self.k || self.k == 0 {
            return;
        }
        let (_, &mut last, _) = self.keys.select_nth_unstable(self.k - 1);
        self.keys.truncate(self.k);
        // A later hit is kept only if its score is higher than that of the last kept hit: with an equal score, it would
        // rank after the kept hit because its ord is higher.
        let last = Hit::from_rank_key(last).score;
        self.min_score = if last < f32::INFINITY { last.next_up() } else { f32::NAN };
    }
}

/// Number of hits at which the buffer is full.
#[inline]
fn buffer_len(k: usize) -> usize {
    k.saturating_add(k.max(MIN_SURPLUS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_rank;
    use proptest::prelude::*;

    /// A score: usually one of a few integers, so that there are many ties; sometimes an extreme value. 1e-45 is the
    /// smallest positive `f32`.
    fn score() -> impl Strategy<Value = f32> {
        let rare = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN, 1e-45, -1e-45];
        prop_oneof![4 => (-4i8..4).prop_map(f32::from), 1 => prop::sample::select(rare.to_vec())]
    }

    proptest! {
        #[test]
        fn keeps_what_a_full_sort_would_keep(
            scores in prop::collection::vec(score(), 0..400),
            k in 0usize..90,
            first_appended in 0u32..500,
        ) {
            let hits: Vec<Hit> = scores.iter().zip(0..).map(|(&score, ord)| Hit { ord, score }).collect();
            let (mut best, mut later) = (TopKBuffer::new(k), TopKBuffer::new(k));
            for &hit in &hits {
                if hit.ord < first_appended { &mut best } else { &mut later }.push(hit);
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
    fn only_hits_that_rank_before_the_last_kept_hit_are_kept() {
        let mut best = TopKBuffer::new(2);
        (0..32).for_each(|ord| best.push(Hit { ord, score: 1.0 }));
        assert_eq!(best.min_score(), 1.0f32.next_up());
        (32..64).for_each(|ord| best.push(Hit { ord, score: f32::INFINITY }));
        assert!(best.min_score().is_nan());
        best.push(Hit { ord: 64, score: f32::INFINITY });
        assert_eq!(best.into_sorted(), [32, 33].map(|ord| Hit { ord, score: f32::INFINITY }));
    }
}
