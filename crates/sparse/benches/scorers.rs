//! Times searches in 50,000 passages, with terms of different frequencies and different `k`. For great `k`, the planner
//! chooses the exhaustive scorer; for the others, it chooses the scorer that computes upper bounds on all scores and
//! only a few exact scores. The benchmark `planner` compares both scorers.
//!
//! Run `cargo bench -p sparse --bench scorers`; append the name of a benchmark, such as `-- common`, to run only that
//! one.

#[path = "support/passages.rs"]
mod support;

use std::sync::LazyLock;

use control::Control;
use divan::Bencher;
use sparse::{Bm25, Bm25Index, Filter};
use support::{build, passages};

/// The values of `k`.
const KS: [usize; 4] = [10, 100, 1000, 10_000];

/// The folder with the index. Passages have 30 to 90 words (7919 is a prime that spreads the lengths): if all passages
/// had the same length, there would be few different scores, and no passage could be pruned.
static BUILT: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| build(&passages(50_000, |at| 30 + at * 7919 % 61)));

fn main() {
    divan::main();
}

/// One term that about every fourth passage has, and two terms that few passages have.
#[divan::bench(args = KS)]
fn few(bencher: Bencher<'_, '_>, k: usize) {
    search(bencher, "word20 word9001 word20011", k);
}

/// Three terms that most passages have.
#[divan::bench(args = KS)]
fn common(bencher: Bencher<'_, '_>, k: usize) {
    search(bencher, "word1 word2 word5", k);
}

/// As many terms as a typical question has, from frequent to rare.
#[divan::bench(args = KS)]
fn mixed(bencher: Bencher<'_, '_>, k: usize) {
    search(bencher, "word1 word3 word17 word80 word401 word2003 word9001", k);
}

/// The terms of [`mixed`] with k = 10 and a filter that allows one in `step` passages.
#[divan::bench(args = [1, 10, 1000])]
fn mixed_filtered(bencher: Bencher<'_, '_>, step: usize) {
    let index = open();
    let (searcher, control) = (index.searcher(), Control::new());
    let filter = Filter::Ids((0..50_000).step_by(step).map(|id: usize| id.to_string()).collect());
    let filtered = searcher.filtered(Some(&filter), &control).expect("a filter");
    let query = "word1 word3 word17 word80 word401 word2003 word9001";
    bencher.bench_local(|| filtered.search(query, 10, Bm25::default(), &control).expect("hits"));
}

fn search(bencher: Bencher<'_, '_>, query: &str, k: usize) {
    let index = open();
    let (searcher, control) = (index.searcher(), Control::new());
    bencher.bench_local(|| searcher.search(query, k, Bm25::default(), &control).expect("hits"));
}

fn open() -> Bm25Index {
    Bm25Index::open(&BUILT.path().join("index")).expect("an intact index")
}
