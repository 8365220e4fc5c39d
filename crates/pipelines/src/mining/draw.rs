//! Random orders that depend only on a seed and on the id of a question.

use std::collections::HashMap;

use numerics::SplitMix64;

/// Iterates over the numbers from 0 to `count` − 1 in random order. This is the shuffle of Fisher and Yates (1938), but
/// without a list of all numbers: `moved` has only the positions whose number has changed.
pub(super) struct Shuffled {
    remaining: u32,
    moved: HashMap<u32, u32>,
    random: SplitMix64,
}

impl Shuffled {
    /// The order depends on the seed and the question, but not on other questions.
    pub fn new(count: u32, seed: u64, question: &str) -> Self {
        // FNV-1a, whose values are the same on every platform.
        let hash = question.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let key = SplitMix64::new(seed).next_u64() ^ hash;
        Self { remaining: count, moved: HashMap::new(), random: SplitMix64::new(key) }
    }
}

impl Iterator for Shuffled {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let last = self.remaining.checked_sub(1)?;
        let at = self.random.below(u64::from(self.remaining)) as u32;
        let moved_last = self.moved.remove(&last).unwrap_or(last);
        let drawn = if at == last { moved_last } else { self.moved.insert(at, moved_last).unwrap_or(at) };
        self.remaining = last;
        Some(drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_drawn_once_and_each_position_is_equally_likely() {
        let mut first_counts = [0; 5];
        for seed in 0..5000 {
            let mut drawn: Vec<u32> = Shuffled::new(5, seed, "q").collect();
            first_counts[drawn[0] as usize] += 1;
            drawn.sort_unstable();
            assert_eq!(drawn, [0, 1, 2, 3, 4]);
        }
        // The standard deviation of each count is √(5000 · 0.2 · 0.8) ≈ 28.
        assert!(first_counts.iter().all(|count| (850..1150).contains(count)), "{first_counts:?}");
        assert!(Shuffled::new(0, 1, "q").next().is_none());
    }

    #[test]
    fn the_order_depends_on_the_seed_and_the_question() {
        let order = |seed, question| Shuffled::new(100, seed, question).collect::<Vec<u32>>();
        assert_eq!(order(1, "q"), order(1, "q"));
        assert_ne!(order(1, "q"), order(2, "q"));
        assert_ne!(order(1, "q"), order(1, "r"));
    }
}
