//! The k best hits of many, cheaply.

use ranking::{Hit, by_rank};

/// Keeps up to twice as many hits as wanted and throws out the worse half when they are too many: about one
/// comparison a hit, whatever k is.
pub(crate) struct Selection {
    k: usize,
    room: usize,
    hits: Vec<Hit>,
    /// The worst of the k best, once k were seen.
    threshold: Option<Hit>,
}

/// The bits of an accumulator that no term has touched: −0.0, to which a sum adds nothing, below all touched ones
/// as a signed integer.
pub(crate) const UNTOUCHED: f64 = -0.0;

impl Selection {
    pub fn new(k: usize) -> Self {
        Self { k, room: k.saturating_mul(2).max(64), hits: Vec::new(), threshold: None }
    }

    /// Only sums whose bits, as a signed integer, are above this can become hits.
    pub fn bound(&self) -> i64 {
        match self.threshold {
            // A sum that rounds to the threshold or more is more than the float below it.
            Some(hit) if hit.score > 0.0 => f64::from(hit.score.next_down()).to_bits() as i64,
            _ => UNTOUCHED.to_bits() as i64,
        }
    }

    pub fn push(&mut self, hit: Hit) {
        if self.threshold.is_some_and(|worst| by_rank(&hit, &worst).is_ge()) {
            return;
        }
        self.hits.push(hit);
        if self.hits.len() == self.room {
            self.shrink();
        }
    }

    /// The k best hits, best first.
    pub fn into_sorted(mut self) -> Vec<Hit> {
        if self.hits.len() > self.k {
            self.shrink();
        }
        self.hits.sort_unstable_by(by_rank);
        self.hits
    }

    fn shrink(&mut self) {
        if let Some(last) = self.k.checked_sub(1) {
            self.threshold = Some(*self.hits.select_nth_unstable_by(last, by_rank).1);
        }
        self.hits.truncate(self.k);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ranking::TopK;

    proptest! {
        #[test]
        fn keeps_what_the_heap_keeps(scores in prop::collection::vec(0u8..8, 0..400), k in 0usize..80) {
            let (mut selection, mut heap) = (Selection::new(k), TopK::new(k));
            for (&score, ord) in scores.iter().zip(0u32..) {
                let hit = Hit { ord: ord ^ 5, score: f32::from(score) };
                if f64::from(hit.score).to_bits() as i64 > selection.bound() {
                    selection.push(hit);
                }
                heap.push(hit);
            }
            prop_assert_eq!(selection.into_sorted(), heap.into_sorted());
        }
    }
}
