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

/// Below, comparing is faster than counting digits.
const FEW: usize = 96;

/// Puts hits with scores of at least 0 in the order of their ranks, by the digits of their keys.
fn rank(hits: &mut Vec<Hit>) {
    if hits.len() < FEW {
        hits.sort_unstable_by(by_rank);
        return;
    }
    // The lower the key, the better: the score's bits turned over, then the ord.
    let mut keys: Vec<u64> =
        hits.iter().map(|hit| u64::from(!hit.score.to_bits()) << 32 | u64::from(hit.ord)).collect();
    let mut other = vec![0; keys.len()];
    let (all, any) = keys.iter().fold((u64::MAX, 0), |(all, any), key| (all & key, any | key));
    let in_order = hits.is_sorted_by_key(|hit| hit.ord);
    for digit in if in_order { 4..8 } else { 0..8 } {
        let digit_of = |key: u64| (key >> (8 * digit)) as u8;
        if digit_of(all) == digit_of(any) {
            continue;
        }
        let mut places = [0u32; 256];
        keys.iter().for_each(|&key| places[usize::from(digit_of(key))] += 1);
        let mut sum = 0;
        for place in &mut places {
            sum += std::mem::replace(place, sum);
        }
        for &key in &keys {
            let place = &mut places[usize::from(digit_of(key))];
            other[*place as usize] = key;
            *place += 1;
        }
        std::mem::swap(&mut keys, &mut other);
    }
    for (hit, key) in hits.iter_mut().zip(keys) {
        *hit = Hit { ord: key as u32, score: f32::from_bits(!((key >> 32) as u32)) };
    }
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
        rank(&mut self.hits);
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
