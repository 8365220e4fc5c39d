//! Times how `TopK` selects the best k of 100,000 hits. With random scores, few hits enter the heap; with ascending
//! scores, all do.
//!
//! Run `cargo bench -p ranking --bench top_k`.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use ranking::{Hit, TopK};

const HIT_COUNT: u32 = 100_000;

fn main() {
    divan::main();
}

#[divan::bench(args = [10, 100, 1000])]
fn random(bencher: Bencher<'_, '_>, k: usize) {
    select_best(bencher, k, |ord| (ord.wrapping_mul(0x9E37_79B9) >> 8) as f32);
}

#[divan::bench(args = [10, 100, 1000])]
fn ascending(bencher: Bencher<'_, '_>, k: usize) {
    select_best(bencher, k, |ord| ord as f32);
}

fn select_best(bencher: Bencher<'_, '_>, k: usize, score: impl Fn(u32) -> f32) {
    let hits: Vec<Hit> = (0..HIT_COUNT).map(|ord| Hit { ord, score: score(ord) }).collect();
    bencher.counter(ItemsCount::new(HIT_COUNT)).bench(|| {
        let mut best = TopK::new(k);
        black_box(&hits).iter().for_each(|&hit| best.push(hit));
        best.into_sorted()
    });
}
