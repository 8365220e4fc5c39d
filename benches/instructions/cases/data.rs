//! Random data with fixed seeds, and helpers that keep counts the same from run to run.

use std::fmt::Write;

use ranking::{Hit, by_rank};

/// Leaks the argument of a case, so that the instructions of dropping it are not counted.
pub fn never_dropped<T>(argument: T) -> &'static mut T {
    Box::leak(Box::new(argument))
}

/// Makes rayon's global pool consist of the calling thread only, because the instructions of other threads are not
/// counted.
pub fn use_one_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("there is no pool yet");
}

/// Runs `make` on another thread, where the allocator uses another arena. `make` may fill hash tables, which free
/// memory in random order. On the calling thread, that would change the number of instructions that later allocations
/// take.
pub fn on_another_thread<T: Send>(make: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(make).join().expect("no panic"))
}

/// A linear congruential generator of random numbers. The counts in `record.json` are for its numbers; with
/// `numerics::SplitMix64` instead, the data and therefore the counts would change.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub fn byte(&mut self) -> u8 {
        (self.next() >> 56) as u8
    }

    /// Returns a number from the uniform distribution over [−1, 1).
    pub fn number(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        self.0
    }
}

/// Returns `count` numbers from the uniform distribution over [−1, 1).
pub fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.number()).collect()
}

/// Returns `count` random bytes.
pub fn bytes(count: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.byte()).collect()
}

/// Returns vectors in clusters of about 20 vectors each, as a matrix `[rows, dim]`. All seeds use the same cluster
/// centers; row r is in cluster 7919 r mod `clusters`.
pub fn clustered(rows: usize, dim: usize, seed: u64) -> Vec<f32> {
    let clusters = (rows / 20).max(1);
    let (centers, mut random) = (numbers(clusters * dim, 1), Random::new(seed));
    let number = |at: usize| {
        let center = centers[at / dim * 7919 % clusters * dim + at % dim];
        center + 0.7 * random.number()
    };
    (0..rows * dim).map(number).collect()
}

/// Returns a text of `count` random words from `word1` to `word19999`. They follow Zipf's law: the frequency of word i
/// is approximately proportional to 1 / i.
pub fn words(count: usize, seed: u64) -> String {
    let (mut random, mut text) = (Random::new(seed), String::new());
    for _ in 0..count {
        let exponent = f64::from(random.number() + 1.0) / 2.0;
        write!(text, "word{} ", 20_000f64.powf(exponent) as u32).expect("a string takes all");
    }
    text
}

/// Returns a ranked list of `count` hits with random scores. Their ords are `first` to `first + count - 1`.
pub fn hits(first: u32, count: u32, seed: u64) -> Vec<Hit> {
    let mut random = Random::new(seed);
    let hit = |ord| Hit { ord, score: 10.0 + random.number() };
    let mut hits: Vec<Hit> = (first..first + count).map(hit).collect();
    hits.sort_unstable_by(by_rank);
    hits
}
