//! Data of fixed seeds.

use std::fmt::Write;

use ranking::{Hit, by_rank};

/// Puts a case where it stays to the end: dropping it would be counted.
pub fn kept<T>(case: T) -> &'static mut T {
    Box::leak(Box::new(case))
}

/// One thread for all of rayon, the one that asks: no other waits for work, or does some that is not counted.
pub fn on_this_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("there is no pool yet");
}

/// Makes something on a thread of its own, which has its own memory to allocate from. What is freed meanwhile, in the order
/// of hash tables and thus of chance, would else decide how long the case takes to allocate.
pub fn aside<T: Send>(make: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(make).join().expect("no panic"))
}

/// Numbers by a linear congruential generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub fn byte(&mut self) -> u8 {
        (self.next() >> 56) as u8
    }

    /// From −1 to 1.
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

/// Rows `[rows * dim]` around centres, as passages are around subjects.
pub fn clustered(rows: usize, dim: usize, seed: u64) -> Vec<f32> {
    let clusters = (rows / 20).max(1);
    let (centres, mut random) = (numbers(clusters * dim, 1), Random::new(seed));
    let number = |at: usize| {
        let centre = centres[at / dim * 7919 % clusters * dim + at % dim];
        centre + 0.7 * random.number()
    };
    (0..rows * dim).map(number).collect()
}

/// Words of which the `i`th is about as frequent as 1 / i.
pub fn words(count: usize, seed: u64) -> String {
    let (mut random, mut text) = (Random::new(seed), String::new());
    for _ in 0..count {
        let exponent = f64::from(random.number() + 1.0) / 2.0;
        write!(text, "word{} ", 20_000f64.powf(exponent) as u32).expect("a string takes all");
    }
    text
}

/// A list of so many passages from one on, best first.
pub fn hits(first: u32, count: u32, seed: u64) -> Vec<Hit> {
    let mut random = Random::new(seed);
    let hit = |ord| Hit { ord, score: 10.0 + random.number() };
    let mut hits: Vec<Hit> = (first..first + count).map(hit).collect();
    hits.sort_unstable_by(by_rank);
    hits
}
