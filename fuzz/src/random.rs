//! Random numbers for mutations and test vectors.

use numerics::SplitMix64;

/// A random number generator. The same seed gives the same numbers.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns an integer below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit as u64) as usize
    }

    /// Returns `count` numbers in [−1, 1), the components of vectors.
    pub fn vectors(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.0.uniform()).collect()
    }
}
