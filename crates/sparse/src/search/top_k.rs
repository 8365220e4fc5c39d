//! Selects and sorts the k best hits.
//!
//! Hits are packed into integers ([`key`]). The exhaustive scorer pushes hits to a [`Selection`], which repeatedly
//! drops all but the k best. The scorer that rescores candidates has few hits. Both sort the integers at the end
//! ([`rank`]).

use ranking::Hit;

/// Collects hits, as keys. Whenever it has `2 * k` of them (or 64, if `2 * k` is less), it keeps only the best `k`. On
/// average, it takes a constant number of comparisons per hit, while a heap takes up to about log k.
pub(crate) struct Selection {
    k: usize,
    /// Number of hits at which all but the best `k` are dropped.
    max_hits: usize,
    keys: Vec<u64>,
    /// The key of the worst of the `k` hits that the last call of [`drop_worse`](Self::drop_worse) kept; `None` before
    /// the first call.
    worst: Option<u64>,
}

/// Packs a hit, whose score must be at least 0, into a *key*: the inverted bits of its score, followed by its ord.
/// Better hits have smaller keys.
pub(crate) fn key(hit: Hit) -> u64 {
    u64::from(!hit.score.to_bits()) << 32 | u64::from(hit.ord)
}

/// Returns the hit with this key.
fn hit(key: u64) -> Hit {
    Hit { ord: key as u32, score: f32::from_bits(!((key >> 32) as u32)) }
}

/// With fewer keys than this, a comparison sort is faster than the radix sort. `cargo bench -p sparse --bench scorers`
/// has values of `k` below and above this number.
const MIN_KEYS_FOR_RADIX_SORT: usize = 64;

/// Returns the hits with the `k` smallest keys, best first.
pub(crate) fn rank(mut keys: Vec<u64>, k: usize) -> Vec<Hit> {
    if keys.len() < MIN_KEYS_FOR_RADIX_SORT {
        keys.sort_unstable();
    } else {
        radix_sort(&mut keys);
        insertion_sort(&mut keys);
    }
    keys.truncate(k);
    keys.into_iter().map(hit).collect()
}

/// Number of bits per digit of the radix sort.
const DIGIT_BITS: u32 = 9;

/// The radix sort has one more pass if there are at least this many keys.
const MIN_KEYS_FOR_SECOND_DIGIT: usize = 256;

/// Nearly sorts keys: by the upper 9 or 18 bits of their distances from the smallest key, digit by digit from the
/// lowest (LSD radix sort). Among few keys, hardly any two are equal in these bits. The sort is stable.
fn radix_sort(keys: &mut Vec<u64>) {
    let (min, max) = keys.iter().fold((u64::MAX, 0), |(min, max), &key| (min.min(key), max.max(key)));
    let passes = if keys.len() < MIN_KEYS_FOR_SECOND_DIGIT { 1 } else { 2 };
    let bits = u64::BITS - (max - min).leading_zeros();
    let mut shift = bits.saturating_sub(passes * DIGIT_BITS);
    let mut sorted = vec![0; keys.len()];
    for _ in 0..passes {
        let digit = |key: u64| ((key - min) >> shift) as usize % (1 << DIGIT_BITS);
        let mut starts = [0u32; 1 << DIGIT_BITS];
        for &key in &*keys {
            starts[digit(key)] += 1;
        }
        let mut sum = 0;
        // Replaces each digit's number of keys with the index of its first key in the sorted order.
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for &key in &*keys {
            let next = &mut starts[digit(key)];
            sorted[*next as usize] = key;
            *next += 1;
        }
        std::mem::swap(keys, &mut sorted);
        shift += DIGIT_BITS;
    }
}

/// Sorts keys that are nearly sorted. If it has to move keys by more than eight places on average, which would soon
/// take longer than `sort_unstable`, it uses that one.
fn insertion_sort(keys: &mut [u64]) {
    let mut allowed_moves = 8 * keys.len();
    for from in 1..keys.len() {
        let key = keys[from];
        let mut to = from;
        while to > 0 && keys[to - 1] > key {
            keys[to] = keys[to - 1];
            to -= 1;
        }
        keys[to] = key;
        let moves = from - to;
        if moves > allowed_moves {
            keys.sort_unstable();
            return;
        }
        allowed_moves -= moves;
    }
}

/// The value of a sum to which no contribution was added: −0.0. Adding −0.0 to a sum does not change the sum. Only the
/// sign bit of −0.0 is set, so its bits, as a signed integer, are less than those of every sum of contributions.
pub(crate) const UNTOUCHED: f64 = -0.0;

impl Selection {
    pub fn new(k: usize) -> Self {
        Self { k, max_hits: k.saturating_mul(2).max(64), keys: Vec::new(), worst: None }
    }

    /// Returns the threshold for sums of contributions: a sum can become a hit only if its bits, as a signed integer,
    /// are above the threshold. Non-negative floats have the same order as their bits.
    pub fn threshold_bits(&self) -> i64 {
        match self.worst.map(hit) {
            // A sum that rounds to the worst score or to more is above the f32 just below the worst score.
            Some(hit) if hit.score > 0.0 => f64::from(hit.score.next_down()).to_bits() as i64,
            _ => UNTOUCHED.to_bits() as i64,
        }
    }

    pub fn push(&mut self, hit: Hit) {
        let key = key(hit);
        if self.worst.is_some_and(|worst| key >= worst) {
            return;
        }
        self.keys.push(key);
        if self.keys.len() == self.max_hits {
            self.drop_worse();
        }
    }

    /// Returns the k best hits, best first.
    pub fn into_sorted(mut self) -> Vec<Hit> {
        if self.keys.len() > self.k {
            self.drop_worse();
        }
        rank(self.keys, self.k)
    }

    /// Drops all but the best `k` hits.
    fn drop_worse(&mut self) {
        if let Some(last) = self.k.checked_sub(1) {
            self.worst = Some(*self.keys.select_nth_unstable(last).1);
        }
        self.keys.truncate(self.k);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ranking::{TopK, by_rank};

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
