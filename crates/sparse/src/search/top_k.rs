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

/// A hit, with a score of at least 0, as a number: the lower, the better.
pub(crate) fn key(hit: Hit) -> u64 {
    u64::from(!hit.score.to_bits()) << 32 | u64::from(hit.ord)
}

/// Below, comparing is faster than counting digits.
const FEW: usize = 96;

/// The `k` best hits, best first, by their keys.
pub(crate) fn rank(mut keys: Vec<u64>, k: usize) -> Vec<Hit> {
    if keys.len() < FEW {
        keys.sort_unstable();
    } else {
        sort_digits(&mut keys);
    }
    keys.truncate(k);
    keys.into_iter()
        .map(|key| Hit { ord: key as u32, score: f32::from_bits(!((key >> 32) as u32)) })
        .collect()
}

/// Bits of a digit, at most.
const DIGIT: u32 = 9;

/// Sorts by a digit of the score after the other, the lowest first. Keys with equal scores stay in the order of
/// their ords, in which they mostly come.
fn sort_digits(keys: &mut Vec<u64>) {
    if !keys.is_sorted_by_key(|&key| key as u32) {
        keys.sort_unstable();
        return;
    }
    let score = |key: u64| (key >> 32) as u32;
    let (least, most) =
        keys.iter().fold((u32::MAX, 0), |(least, most), &key| (least.min(score(key)), most.max(score(key))));
    let bits = u32::BITS - (most - least).leading_zeros();
    let passes = bits.div_ceil(DIGIT);
    let width = bits.div_ceil(passes.max(1));
    let digit = |key: u64, pass: u32| ((score(key) - least) >> (pass * width) & ((1 << width) - 1)) as usize;
    let mut places = [[0u32; 1 << DIGIT]; u32::BITS.div_ceil(DIGIT) as usize];
    for &key in &*keys {
        for (pass, places) in (0..passes).zip(&mut places) {
            places[digit(key, pass)] += 1;
        }
    }
    let mut other = vec![0; keys.len()];
    for (pass, places) in (0..passes).zip(&mut places) {
        let mut sum = 0;
        for place in &mut places[..1 << width] {
            sum += std::mem::replace(place, sum);
        }
        for &key in &*keys {
            let place = &mut places[digit(key, pass)];
            other[*place as usize] = key;
            *place += 1;
        }
        std::mem::swap(keys, &mut other);
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
        rank(self.hits.into_iter().map(key).collect(), self.k)
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
        fn keys_sort_as_hits_do(
            scores in prop::collection::vec(prop_oneof![0u32..5, 0u32..2_000_000_000], 0..400),
            ords in any::<u32>(),
            k in 0usize..300,
        ) {
            let hit = |(at, &bits): (u32, &u32)| Hit { ord: at ^ ords, score: f32::from_bits(bits) };
            let mut hits: Vec<Hit> = (0..).zip(&scores).map(hit).collect();
            let got = rank(hits.iter().copied().map(key).collect(), k);
            hits.sort_by(by_rank);
            hits.truncate(k);
            prop_assert_eq!(got, hits);
        }

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
