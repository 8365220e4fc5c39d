//! Selects the best of 10,000 hits: with random scores, where few hits enter the heap, and with ascending scores, where all do.

use gungraun::{library_benchmark, library_benchmark_group};
use ranking::{Hit, TopK};

use crate::data::{Random, kept};

fn random() -> &'static [Hit] {
    let mut random = Random::new(1);
    kept((0..10_000).map(|ord| Hit { ord, score: random.number() }).collect::<Vec<Hit>>())
}

fn ascending() -> &'static [Hit] {
    kept((0..10_000).map(|ord| Hit { ord, score: ord as f32 }).collect::<Vec<Hit>>())
}

#[library_benchmark]
#[bench::random(random())]
#[bench::ascending(ascending())]
fn best_100(hits: &[Hit]) -> Vec<Hit> {
    let mut best = TopK::new(100);
    hits.iter().for_each(|&hit| best.push(hit));
    best.into_sorted()
}

library_benchmark_group!(name = top_k, benchmarks = best_100);
