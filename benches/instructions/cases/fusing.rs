//! Fuses two lists of 1,000 hits each, which have 500 passages in common, and evaluates a grid of 21 fusion weights for
//! 10 questions.

use control::Control;
use fusion::{JudgedQuestion, Method, Normalization, first_ranks, fuse};
use gungraun::{library_benchmark, library_benchmark_group};
use ranking::Hit;

use crate::data::{hits, never_dropped, use_one_thread};

/// The hits of one query by two searchers, and a method to fuse them.
pub struct Lists {
    dense: Vec<Hit>,
    sparse: Vec<Hit>,
    method: Method,
}

fn lists(method: Method) -> &'static Lists {
    never_dropped(Lists { dense: hits(0, 1000, 1), sparse: hits(500, 1000, 2), method })
}

#[library_benchmark]
#[bench::hybrid(lists(Method::hybrid(1.1)))]
#[bench::hybrid_norm(lists(Method::hybrid_norm(1.1)))]
#[bench::z_score(lists(Method::interpolate(0.5, Normalization::ZScore)))]
#[bench::reciprocal_rank(lists(Method::reciprocal_rank(60.0)))]
fn two_lists(case: &Lists) -> Vec<Hit> {
    fuse(&[&case.dense, &case.sparse], &case.method, 100).expect("a valid method")
}

/// Questions with relevance judgments, and a fusion method for each weight of the grid.
pub struct Grid {
    questions: Vec<JudgedQuestion<'static>>,
    methods: Vec<Method>,
}

fn questions_and_grid() -> &'static Grid {
    use_one_thread();
    let list = |first, seed| never_dropped(hits(first, 1000, seed)).as_slice();
    let question = |question: u64| {
        let lists = vec![list(0, 2 * question), list(500, 2 * question + 1)];
        // One relevant passage is only in the first list, and the other one is only in the second list.
        JudgedQuestion { lists, relevant: never_dropped([40 + question as u32, 1200]) }
    };
    let methods = (0..=20).map(|step| Method::hybrid(f64::from(step) / 10.0)).collect();
    never_dropped(Grid { questions: (0..10).map(question).collect(), methods })
}

#[library_benchmark]
#[bench::of_21_weights(questions_and_grid())]
fn grid(case: &Grid) -> Vec<Vec<u32>> {
    first_ranks(&case.questions, &case.methods, 100, &Control::new()).expect("valid methods")
}

library_benchmark_group!(name = fused_lists, benchmarks = [two_lists, grid]);
