//! Data with fixed seeds.

use std::fmt::Write;

use ranking::{Hit, by_rank};

/// Leaks a case, so that dropping it is not counted.
pub fn kept<T>(case: T) -> &'static mut T {
    Box::leak(Box::new(case))
}

/// Makes rayon's global pool consist of the calling thread, because only the instructions of that thread are counted.
pub fn on_this_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("there is no pool yet");
}

/// Runs `make` on another thread, whose allocations come from an arena of its own. Otherwise memory that `make` frees, in the
/// random order of hash tables, would change how many instructions the allocations of a case take.
pub fn aside<T: Send>(make: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(make).join().expect("no panic"))
}

/// A linear congruential generator. `numerics::SplitMix64` would give other data, and so other counts than the recorded
/// ones.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub fn byte(&mut self) -> u8 {
        (self.next() >> 56) as u8
    }

    /// A number from a uniform distribution over [−1, 1).
    pub fn number(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        self.0
    }
}

pub fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.number()).collect()
}

pub fn bytes(count: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.byte()).collect()
}

/// Rows `[rows * dim]` in clusters of about 20.
pub fn clustered(rows: usize, dim: usize, seed: u64) -> Vec<f32> {
    let clusters = (rows / 20).max(1);
    let (centers, mut random) = (numbers(clusters * dim, 1), Random::new(seed));
    let number = |at: usize| {
        let center = centers[at / dim * 7919 % clusters * dim + at % dim];
        center + 0.7 * random.number()
    };
    (0..rows * dim).map(number).collect()
}

/// A text of words with about the frequencies of Zipf's law: the i-th most frequent word occurs 1 / i times as often as the
/// first.
pub fn words(count: usize, seed: u64) -> String {
    let (mut random, mut text) = (Random::new(seed), String::new());
    for _ in 0..count {
        let exponent = f64::from(random.number() + 1.0) / 2.0;
        write!(text, "word{} ", 20_000f64.powf(exponent) as u32).expect("a string takes all");
    }
    text
}

/// A ranked list of `count` passages, whose ords start at `first`, with random scores.
pub fn hits(first: u32, count: u32, seed: u64) -> Vec<Hit> {
    let mut random = Random::new(seed);
    let hit = |ord| Hit { ord, score: 10.0 + random.number() };
    let mut hits: Vec<Hit> = (first..first + count).map(hit).collect();
    hits.sort_unstable_by(by_rank);
    hits
}
