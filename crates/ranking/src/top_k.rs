//! Selects the k best hits with a binary heap.

use std::collections::BinaryHeap;

use crate::hit::Hit;

/// Keeps the `k` best of hits that are pushed in any order, in a binary heap. [`TopKBuffer`](crate::TopKBuffer) is faster if
/// hits come in ascending order of ords.
#[derive(Debug, Clone)]
pub struct TopK {
    k: usize,
    /// [Rank keys](Hit::rank_key); the largest, which is that of the worst kept hit, is at the top.
    heap: BinaryHeap<u64>,
}

impl TopK {
    /// Keeps `k` hits; `k` may be 0.
    #[must_use]
    pub fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::with_capacity(k.min(65_536) + 1) }
    }

    /// Offers a hit, which is kept if it is among the `k` best so far.
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

    /// The worst kept hit, or `None` while fewer than `k` are kept. Only hits that rank before it can still enter.
    #[must_use]
    pub fn threshold(&self) -> Option<Hit> {
        if self.heap.len() < self.k { None } else { self.heap.peek().copied().map(Hit::from_rank_key) }
    }

    /// The kept hits, best first.
    #[must_use]
    pub fn into_sorted(self) -> Vec<Hit> {
        let mut keys = self.heap.into_vec();
        keys.sort_unstable();
        keys.into_iter().map(Hit::from_rank_key).collect()
    }
}

impl Extend<Hit> for TopK {
    /// Offers hits. As long as fewer than `k` are kept, this is faster than pushing them one by one.
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
    use crate::hit::by_rank;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_what_a_full_sort_would_keep(scores in prop::collection::vec(-4i8..4, 0..200), k in 0usize..50, pushed in 0usize..60) {
            let hits: Vec<Hit> =
                scores.iter().zip(0u32..).map(|(&score, ord)| Hit { ord, score: f32::from(score) }).collect();
            let mut best = TopK::new(k);
            // Pushed in descending order of ords, so that ties are not broken by the order of pushing.
            hits.iter().rev().take(pushed).for_each(|&hit| best.push(hit));
            best.extend(hits.iter().rev().skip(pushed).copied());

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
