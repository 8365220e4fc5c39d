//! Times the fusion of two lists that share half of their passages, and the evaluation of a grid of fusion weights on
//! the lists of 100 questions, on one thread.
//!
//! Run `cargo bench -p fusion --bench fuse`; append `-- grid` to run only the benchmark `grid`.

use control::Control;
use divan::Bencher;
use divan::counter::ItemsCount;
use fusion::{JudgedQuestion, Method, Normalization, first_ranks, fuse, fuse_many};
use ranking::{Hit, by_rank};

const METHODS: [&str; 5] = ["hybrid", "hybridNorm", "minMax", "zScore", "reciprocalRank"];
const QUESTION_COUNT: u32 = 100;

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("no pool yet");
    divan::main();
}

/// Fuses the two lists of one question. The throughput is in hits of both lists.
#[divan::bench(args = METHODS.iter().flat_map(|&method| [100, 1000].map(|hit_count| (method, hit_count))))]
fn two_lists(bencher: Bencher<'_, '_>, &(method, hit_count): &(&str, u32)) {
    let (dense, sparse) = lists(0, hit_count);
    let method = method_named(method);
    bencher
        .counter(ItemsCount::new(2 * hit_count))
        .bench(|| fuse(&[&dense, &sparse], &method, 100).expect("a valid method"));
}

/// Fuses the lists of all questions in one call. The throughput is in questions.
#[divan::bench(args = METHODS)]
fn runs(bencher: Bencher<'_, '_>, method: &str) {
    let lists: Vec<_> = (0..QUESTION_COUNT).map(|question| lists(question, 1000)).collect();
    let queries: Vec<Vec<&[Hit]>> =
        lists.iter().map(|(dense, sparse)| vec![dense.as_slice(), sparse]).collect();
    let (method, control) = (method_named(method), Control::new());
    bencher
        .counter(ItemsCount::new(QUESTION_COUNT))
        .bench_local(|| fuse_many(&queries, &method, 1000, &control).expect("a valid method"));
}

/// Finds the rank of each question's first relevant passage for 41 weights. The throughput is in pairs of a question
/// and a weight.
#[divan::bench(args = ["hybrid", "hybridNorm"], sample_count = 20)]
fn grid(bencher: Bencher<'_, '_>, method: &str) {
    let lists: Vec<_> = (0..QUESTION_COUNT).map(|question| lists(question, 1000)).collect();
    // One relevant passage is only in the dense list, and the other one is only in the sparse list.
    let relevant: Vec<[u32; 2]> = (0..QUESTION_COUNT).map(|question| [40 + question, 1200]).collect();
    let judged: Vec<JudgedQuestion<'_>> = lists
        .iter()
        .zip(&relevant)
        .map(|((dense, sparse), relevant)| JudgedQuestion { lists: vec![dense, sparse], relevant })
        .collect();
    let with_weight = if method == "hybrid" { Method::hybrid } else { Method::hybrid_norm };
    let methods: Vec<Method> = (0..=40).map(|step| with_weight(f64::from(step) / 20.0)).collect();
    let control = Control::new();
    bencher
        .counter(ItemsCount::new(QUESTION_COUNT as usize * methods.len()))
        .bench_local(|| first_ranks(&judged, &methods, 100, &control).expect("valid methods"));
}

fn method_named(method: &str) -> Method {
    match method {
        "hybrid" => Method::hybrid(1.1),
        "hybridNorm" => Method::hybrid_norm(1.1),
        "minMax" => Method::interpolate(0.5, Normalization::MinMax),
        "zScore" => Method::interpolate(0.5, Normalization::ZScore),
        _ => Method::reciprocal_rank(60.0),
    }
}

/// Returns the dense and the sparse list of a question, with `hit_count` hits each and pseudorandom scores. The ords
/// of the dense list start at 0 and those of the sparse list at `hit_count / 2`, so the lists share half of their
/// passages.
fn lists(question: u32, hit_count: u32) -> (Vec<Hit>, Vec<Hit>) {
    let list = |first: u32, scale: f32| {
        let score = |ord: u32| ((ord + 7919 * question).wrapping_mul(0x9E37_79B9) >> 8) as f32 * scale;
        let mut list: Vec<Hit> =
            (first..first + hit_count).map(|ord| Hit { ord, score: score(ord) }).collect();
        list.sort_unstable_by(by_rank);
        list
    };
    (list(0, 1e-5), list(hit_count / 2, 1e-6))
}
