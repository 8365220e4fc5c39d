use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::hit::{Hit, by_rank};

/// Keeps the `k` best hits pushed, in any order of pushing.
#[derive(Debug, Clone)]
pub struct TopK {
    k: usize,
    /// The worst kept hit is at the top.
    heap: BinaryHeap<WorstFirst>,
}

#[derive(Debug, Clone, Copy)]
struct WorstFirst(Hit);

impl TopK {
    /// Keeps `k` hits; `k` may be 0.
    #[must_use]
    pub fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::with_capacity(k.min(65_536) + 1) }
    }

    /// Offers a hit; it is kept if it ranks among the `k` best so far.
    pub fn push(&mut self, hit: Hit) {
        if self.heap.len() < self.k {
            self.heap.push(WorstFirst(hit));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && by_rank(&hit, &worst.0) == Ordering::Less
        {
            *worst = WorstFirst(hit);
        }
    }

    /// The worst kept hit once `k` are kept: only what ranks before it can still enter.
    #[must_use]
    pub fn threshold(&self) -> Option<Hit> {
        if self.heap.len() < self.k { None } else { self.heap.peek().map(|worst| worst.0) }
    }

    /// The kept hits, best first.
    #[must_use]
    pub fn into_sorted(self) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self.heap.into_iter().map(|kept| kept.0).collect();
        hits.sort_unstable_by(by_rank);
        hits
    }
}

impl Ord for WorstFirst {
    fn cmp(&self, other: &Self) -> Ordering {
        by_rank(&self.0, &other.0)
    }
}
impl PartialOrd for WorstFirst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for WorstFirst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for WorstFirst {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_what_a_full_sort_would_keep(scores in prop::collection::vec(-4i8..4, 0..200), k in 0usize..50) {
            let hits: Vec<Hit> =
                scores.iter().zip(0u32..).map(|(&score, ord)| Hit { ord, score: f32::from(score) }).collect();
            let mut best = TopK::new(k);
            // From the last to the first: the tie rule must not lean on the order of pushing.
            hits.iter().rev().for_each(|&hit| best.push(hit));

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
