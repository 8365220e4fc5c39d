//! The best of 100,000 hits with `TopK`: with random scores, where few hits enter the heap, and with ascending scores, where
//! all do.
//!
//! `cargo bench -p ranking --bench top_k`

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use ranking::{Hit, TopK};

const HITS: u32 = 100_000;

fn main() {
    divan::main();
}

#[divan::bench(args = [10, 100, 1000])]
fn random(bencher: Bencher<'_, '_>, k: usize) {
    best(bencher, k, |ord| (ord.wrapping_mul(0x9E37_79B9) >> 8) as f32);
}

#[divan::bench(args = [10, 100, 1000])]
fn ascending(bencher: Bencher<'_, '_>, k: usize) {
    best(bencher, k, |ord| ord as f32);
}

fn best(bencher: Bencher<'_, '_>, k: usize, score: impl Fn(u32) -> f32) {
    let hits: Vec<Hit> = (0..HITS).map(|ord| Hit { ord, score: score(ord) }).collect();
    bencher.counter(ItemsCount::new(HITS)).bench(|| {
        let mut best = TopK::new(k);
        black_box(&hits).iter().for_each(|&hit| best.push(hit));
        best.into_sorted()
    });
}
