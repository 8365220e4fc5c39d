//! Selects and sorts the k best hits.
//!
//! The exhaustive scorer pushes hits to a [`Selection`], which keeps about k of them. The other scorer has few
//! candidates: it packs them into integers ([`key`]) and sorts these ([`rank`]).

use ranking::{Hit, by_rank};

/// Collects hits and, whenever it has twice as many as wanted (or 64, if `k` is small), keeps only the best `k`. It
/// takes about one comparison per hit, whatever `k` is, while a heap takes log k.
pub(crate) struct Selection {
    k: usize,
    max_hits: usize,
    hits: Vec<Hit>,
    /// The worst of the `k` hits that [`drop_worse`](Self::drop_worse) kept last; `None` before its first call.
    worst: Option<Hit>,
}

/// Packs a hit, whose score is at least 0, into a number. Better hits have smaller numbers.
pub(crate) fn key(hit: Hit) -> u64 {
    u64::from(!hit.score.to_bits()) << 32 | u64::from(hit.ord)
}

/// With fewer keys than this, a comparison sort is faster than the radix sort. `cargo bench -p sparse --bench scorers`
/// has values of `k` on both sides of it.
const MIN_KEYS_FOR_RADIX_SORT: usize = 96;

/// Returns the hits with the `k` smallest keys, best first.
pub(crate) fn rank(mut keys: Vec<u64>, k: usize) -> Vec<Hit> {
    if keys.len() < MIN_KEYS_FOR_RADIX_SORT {
        keys.sort_unstable();
    } else {
        radix_sort(&mut keys);
    }
    keys.truncate(k);
    keys.into_iter()
        .map(|key| Hit { ord: key as u32, score: f32::from_bits(!((key >> 32) as u32)) })
        .collect()
}

/// Maximum number of bits per digit of the radix sort. With 9, the counts of all digits (8 KiB) fit in the L1 cache.
const MAX_DIGIT_BITS: u32 = 9;

/// Sorts keys by their scores, digit by digit from the lowest (LSD radix sort). The sort is stable, so keys with equal
/// scores stay in the order of their ords. Keys that are not in the order of their ords, which is rare, get a
/// comparison sort.
fn radix_sort(keys: &mut Vec<u64>) {
    if !keys.is_sorted_by_key(|&key| key as u32) {
        keys.sort_unstable();
        return;
    }
    let score = |key: u64| (key >> 32) as u32;
    let (min, max) =
        keys.iter().fold((u32::MAX, 0), |(min, max), &key| (min.min(score(key)), max.max(score(key))));
    let bits = u32::BITS - (max - min).leading_zeros();
    let passes = bits.div_ceil(MAX_DIGIT_BITS);
    let width = bits.div_ceil(passes.max(1));
    let digit = |key: u64, pass: u32| ((score(key) - min) >> (pass * width) & ((1 << width) - 1)) as usize;
    let mut counts = [[0u32; 1 << MAX_DIGIT_BITS]; u32::BITS.div_ceil(MAX_DIGIT_BITS) as usize];
    for &key in &*keys {
        for (pass, counts) in (0..passes).zip(&mut counts) {
            counts[digit(key, pass)] += 1;
        }
    }
    let mut sorted = vec![0; keys.len()];
    for (pass, counts) in (0..passes).zip(&mut counts) {
        let mut sum = 0;
        // Replaces each digit's number of keys with the index of its first key in the sorted order.
        for count in &mut counts[..1 << width] {
            sum += std::mem::replace(count, sum);
        }
        for &key in &*keys {
            let next = &mut counts[digit(key, pass)];
            sorted[*next as usize] = key;
            *next += 1;
        }
        std::mem::swap(keys, &mut sorted);
    }
}

/// The value of a sum to which no term was added: −0.0. Adding −0.0 changes no sum. As a signed integer, its bits are
/// less than those of every sum of contributions, because only its sign bit is set.
pub(crate) const UNTOUCHED: f64 = -0.0;

impl Selection {
    pub fn new(k: usize) -> Self {
        Self { k, max_hits: k.saturating_mul(2).max(64), hits: Vec::new(), worst: None }
    }

    /// Returns the threshold: only sums whose bits, as a signed integer, are above it can become hits. Floats that are
    /// not negative compare like their bits.
    pub fn threshold_bits(&self) -> i64 {
        match self.worst {
            // A sum that rounds to the worst score or more is above the next smaller f32.
            Some(hit) if hit.score > 0.0 => f64::from(hit.score.next_down()).to_bits() as i64,
            _ => UNTOUCHED.to_bits() as i64,
        }
    }

    pub fn push(&mut self, hit: Hit) {
        if self.worst.is_some_and(|worst| by_rank(&hit, &worst).is_ge()) {
            return;
        }
        self.hits.push(hit);
        if self.hits.len() == self.max_hits {
            self.drop_worse();
        }
    }

    /// Returns the k best hits, best first.
    pub fn into_sorted(mut self) -> Vec<Hit> {
        if self.hits.len() > self.k {
            self.drop_worse();
        }
        rank(self.hits.into_iter().map(key).collect(), self.k)
    }

    fn drop_worse(&mut self) {
        if let Some(last) = self.k.checked_sub(1) {
            self.worst = Some(*self.hits.select_nth_unstable_by(last, by_rank).1);
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
        fn ranking_by_keys_orders_hits_by_score_and_ord(
            // Bits of finite floats; the first range often makes scores equal.
            score_bits in prop::collection::vec(prop_oneof![0u32..5, 0u32..2_000_000_000], 0..400),
            ord_mask in any::<u32>(),
            k in 0usize..300,
        ) {
            // With most masks, the ords are not in ascending order.
            let hit = |(at, &bits): (u32, &u32)| Hit { ord: at ^ ord_mask, score: f32::from_bits(bits) };
            let mut hits: Vec<Hit> = (0..).zip(&score_bits).map(hit).collect();
            let got = rank(hits.iter().copied().map(key).collect(), k);
            hits.sort_by(by_rank);
            hits.truncate(k);
            prop_assert_eq!(got, hits);
        }

        #[test]
        fn a_selection_has_the_same_hits_as_a_heap(scores in prop::collection::vec(0u8..8, 0..400), k in 0usize..80) {
            let (mut selection, mut heap) = (Selection::new(k), TopK::new(k));
            for (&score, ord) in scores.iter().zip(0u32..) {
                // XOR with 5 gives distinct ords that are not in ascending order.
                let hit = Hit { ord: ord ^ 5, score: f32::from(score) };
                if f64::from(hit.score).to_bits() as i64 > selection.threshold_bits() {
                    selection.push(hit);
                }
                heap.push(hit);
            }
            prop_assert_eq!(selection.into_sorted(), heap.into_sorted());
        }
    }
}
