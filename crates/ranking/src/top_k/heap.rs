//! Selects the k best hits with a binary heap whose top is the worst kept hit.

use std::collections::BinaryHeap;

use crate::Hit;

/// Maximum number of hits for which memory is reserved in advance, as the number of hits may never reach a large `k`.
const MAX_INITIAL_CAPACITY: usize = 65_536;

/// Keeps the `k` best of all hits that are pushed. Hits may be pushed in any order. If they come in ascending order of
/// ords, [`TopKBuffer`](crate::TopKBuffer) is faster.
#[derive(Debug, Clone)]
pub struct TopK {
    k: usize,
    /// The [rank keys](Hit::rank_key) of the kept hits. The largest key, which is at the top, is that of the worst hit.
    heap: BinaryHeap<u64>,
}

impl TopK {
    /// Makes an empty heap for up to `k` hits. `k` may be 0.
    #[must_use]
    pub fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::with_capacity(k.min(MAX_INITIAL_CAPACITY)) }
    }

    /// Keeps a hit if it is among the `k` best so far.
    #[inline]
    pub fn push(&mut self, hit: Hit) {
        let key = hit.rank_key();
        if self.heap.len() < self.k {
            self.heap.push(key);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && key < *worst
        {
            *worst = key;
        }
    }

    /// Returns the worst kept hit, or `None` while fewer than `k` hits are kept. A later hit is kept only if it ranks
    /// before this one.
    #[inline]
    #[must_use]
    pub fn threshold(&self) -> Option<Hit> {
        if self.heap.len() < self.k { None } else { self.heap.peek().copied().map(Hit::from_rank_key) }
    }

    /// Returns the kept hits, best first.
    #[must_use]
    pub fn into_sorted(self) -> Vec<Hit> {
        let mut keys = self.heap.into_vec();
        keys.sort_unstable();
        keys.into_iter().map(Hit::from_rank_key).collect()
    }
}

impl Extend<Hit> for TopK {
    /// Pushes all hits. While fewer than `k` hits are kept, this is faster than pushing them one by one.
    fn extend<T: IntoIterator<Item = Hit>>(&mut self, hits: T) {
        let mut hits = hits.into_iter();
        let room = self.k - self.heap.len();
        self.heap.extend(hits.by_ref().take(room).map(Hit::rank_key));
        hits.for_each(|hit| self.push(hit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_rank;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_what_a_full_sort_would_keep(
            scores in prop::collection::vec(-4i8..4, 0..200),
            k in 0usize..50,
            pushed_count in 0usize..60,
        ) {
            let hits: Vec<Hit> =
                scores.iter().zip(0u32..).map(|(&score, ord)| Hit { ord, score: f32::from(score) }).collect();
            let mut best = TopK::new(k);
            // Hits are pushed in descending order of ords, so that the insertion order cannot break ties correctly by
            // chance.
            hits.iter().rev().take(pushed_count).for_each(|&hit| best.push(hit));
            best.extend(hits.iter().rev().skip(pushed_count).copied());

            let mut expected = hits;
            expected.sort_by(by_rank);
            expected.truncate(k);
            prop_assert_eq!(best.into_sorted(), expected);
        }
    }

    #[test]
    fn the_threshold_appears_once_k_hits_are_kept() {
        let mut best = TopK::new(2);
        best.push(Hit { ord: 0, score: 5.0 });
        assert_eq!(best.threshold(), None);
        best.push(Hit { ord: 1, score: 7.0 });
        assert_eq!(best.threshold(), Some(Hit { ord: 0, score: 5.0 }));
    }
}
