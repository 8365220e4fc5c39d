//! Selects and sorts the k best hits.
//!
//! The exhaustive scorer pushes hits to a [`Selection`], which repeatedly drops all but the k best. The scorer that
//! rescores candidates has few hits: it packs each into an integer ([`key`]) and sorts the integers ([`rank`]).

use ranking::{Hit, by_rank};

/// Collects hits. Whenever it has `2 * k` of them (or 64, if `2 * k` is less), it keeps only the best `k`. On
/// average, it takes a constant number of comparisons per hit, while a heap takes up to about log k.
pub(crate) struct Selection {
    k: usize,
    /// Number of hits at which all but the best `k` are dropped.
    max_hits: usize,
    hits: Vec<Hit>,
    /// The worst of the `k` hits that the last call of [`drop_worse`](Self::drop_worse) kept; `None` before the first
    /// call.
    worst: Option<Hit>,
}

/// Packs a hit, whose score must be at least 0, into a *key*: the inverted bits of its score, followed by its ord.
/// Better hits have smaller keys.
pub(crate) fn key(hit: Hit) -> u64 {
    u64::from(!hit.score.to_bits()) << 32 | u64::from(hit.ord)
}

/// With fewer keys than this, a comparison sort is faster than the radix sort. `cargo bench -p sparse --bench scorers`
/// has values of `k` below and above this number.
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

/// Sorts keys by their upper halves (the inverted bits of the scores), digit by digit from the lowest (LSD radix sort).
/// The sort is stable, so keys with equal scores stay in the order of their ords. In the rare case that the keys are
/// not in the order of their ords, it uses a comparison sort instead.
fn radix_sort(keys: &mut Vec<u64>) {
    if !keys.is_sorted_by_key(|&key| key as u32) {
        keys.sort_unstable();
        return;
    }
    let upper = |key: u64| (key >> 32) as u32;
    let (min, max) =
        keys.iter().fold((u32::MAX, 0), |(min, max), &key| (min.min(upper(key)), max.max(upper(key))));
    let bits = u32::BITS - (max - min).leading_zeros();
    let passes = bits.div_ceil(MAX_DIGIT_BITS);
    let width = bits.div_ceil(passes.max(1));
    let digit = |key: u64, pass: u32| ((upper(key) - min) >> (pass * width) & ((1 << width) - 1)) as usize;
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

/// The value of a sum to which no contribution was added: −0.0. Adding −0.0 to a sum does not change the sum. Only the
/// sign bit of −0.0 is set, so its bits, as a signed integer, are less than those of every sum of contributions.
pub(crate) const UNTOUCHED: f64 = -0.0;

impl Selection {
    pub fn new(k: usize) -> Self {
        Self { k, max_hits: k.saturating_mul(2).max(64), hits: Vec::new(), worst: None }
    }

    /// Returns the threshold for sums of contributions: a sum can become a hit only if its bits, as a signed integer,
    /// are above the threshold. Non-negative floats have the same order as their bits.
    pub fn threshold_bits(&self) -> i64 {
        match self.worst {
            // A sum that rounds to the worst score or to more is above the f32 just below the worst score.
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

    /// Drops all but the best `k` hits.
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
            // Bits of finite floats. The first range is so small that many scores are equal.
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
