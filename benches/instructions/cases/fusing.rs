//! Fuses two lists of 1,000 passages, half of which are in both, and evaluates a grid of weights for 10 questions.

use control::Control;
use fusion::{JudgedQuestion, Method, Normalization, first_ranks, fuse};
use gungraun::{library_benchmark, library_benchmark_group};
use ranking::Hit;

use crate::data::{hits, kept, on_this_thread};

pub struct Lists {
    dense: Vec<Hit>,
    sparse: Vec<Hit>,
    method: Method,
}

fn lists(method: Method) -> &'static Lists {
    kept(Lists { dense: hits(0, 1000, 1), sparse: hits(500, 1000, 2), method })
}

#[library_benchmark]
#[bench::hybrid(lists(Method::hybrid(1.1)))]
#[bench::hybrid_norm(lists(Method::hybrid_norm(1.1)))]
#[bench::z_score(lists(Method::interpolate(0.5, Normalization::ZScore)))]
#[bench::reciprocal_rank(lists(Method::reciprocal_rank(60.0)))]
fn two_lists(case: &Lists) -> Vec<Hit> {
    fuse(&[&case.dense, &case.sparse], &case.method, 100).expect("a sound method")
}

pub struct Run {
    questions: Vec<JudgedQuestion<'static>>,
    weights: Vec<Method>,
}

fn run() -> &'static Run {
    on_this_thread();
    let list = |first, seed| kept(hits(first, 1000, seed)).as_slice();
    let question = |question: u64| {
        let lists = vec![list(0, 2 * question), list(500, 2 * question + 1)];
        JudgedQuestion { lists, relevant: kept([40 + question as u32, 1200]) }
    };
    let weights = (0..=20).map(|step| Method::hybrid(f64::from(step) / 10.0)).collect();
    kept(Run { questions: (0..10).map(question).collect(), weights })
}

#[library_benchmark]
#[bench::of_21_weights(run())]
fn grid(case: &Run) -> Vec<Vec<u32>> {
    first_ranks(&case.questions, &case.weights, 100, &Control::new()).expect("sound methods")
}

library_benchmark_group!(name = fused_lists, benchmarks = [two_lists, grid]);
