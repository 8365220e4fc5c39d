//! Searches of 50,000 passages, by the frequency of the terms and by `k`. Up to k = 3,125 the planner bounds all scores and
//! computes few exactly; above, it computes all. So the last two values of `k` compare both scorers for nearly the same
//! hits, and show whether the planner's threshold is right.
//!
//! `cargo bench -p sparse --bench scorers`, or `… -- common` for one group.

#[path = "support/passages.rs"]
mod support;

use std::sync::LazyLock;

use control::Control;
use divan::Bencher;
use sparse::{Bm25, Bm25Index, Filter};
use support::{build, passages};

const KS: [usize; 5] = [10, 100, 1000, 3125, 3126];

/// Passages of 30 to 90 words. If all had the same length, there would be few different scores, and none could be pruned.
static BUILT: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| build(&passages(50_000, |at| 30 + at * 7919 % 61)));

fn main() {
    divan::main();
}

/// A term that every fourth passage has, and two that a few passages have.
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

/// The same terms with filters that allow all passages, one in 10, and one in 1,000.
#[divan::bench(args = [1, 10, 1000])]
fn mixed_one_of(bencher: Bencher<'_, '_>, of: usize) {
    let index = open();
    let (searcher, control) = (index.searcher(), Control::new());
    let filter = Filter::Ids((0..50_000).step_by(of).map(|id: usize| id.to_string()).collect());
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
