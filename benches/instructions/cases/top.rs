//! Selects the best 100 of 10,000 hits. With random scores, few hits enter the heap; with ascending scores, all do.

use gungraun::{library_benchmark, library_benchmark_group};
use ranking::{Hit, TopK};

use crate::data::{Random, never_dropped};

fn random() -> &'static [Hit] {
    let mut random = Random::new(1);
    never_dropped((0..10_000).map(|ord| Hit { ord, score: random.number() }).collect::<Vec<Hit>>())
}

fn ascending() -> &'static [Hit] {
    never_dropped((0..10_000).map(|ord| Hit { ord, score: ord as f32 }).collect::<Vec<Hit>>())
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
