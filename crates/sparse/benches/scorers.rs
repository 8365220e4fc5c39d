//! Search of 50,000 passages by how common the terms are and by `k`. Up to a `k` of 3,125 scores are bounded first and few
//! are worked out, above it all are: the last two of each are the two ways for about the same hits.
//!
//! `cargo bench -p sparse --bench scorers`; `-- common` for one of them.

#[path = "support/passages.rs"]
mod support;

use std::sync::LazyLock;

use control::Control;
use divan::Bencher;
use sparse::{Bm25, Bm25Index, Filter};
use support::{build, passages};

const KS: [usize; 5] = [10, 100, 1000, 3125, 3126];

/// Of 30 to 90 words: of one length all would have the same few scores, and none could be ruled out.
static BUILT: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| build(&passages(50_000, |at| 30 + at * 7919 % 61)));

fn main() {
    divan::main();
}

/// A term that is in every fourth passage, and two that are in a few.
#[divan::bench(args = KS)]
fn few(bencher: Bencher<'_, '_>, k: usize) {
    search(bencher, "word20 word9001 word20011", k);
}

/// Three terms that most passages have.
#[divan::bench(args = KS)]
fn common(bencher: Bencher<'_, '_>, k: usize) {
    search(bencher, "word1 word2 word5", k);
}

/// As many terms as a question has, of all sorts.
#[divan::bench(args = KS)]
fn mixed(bencher: Bencher<'_, '_>, k: usize) {
    search(bencher, "word1 word3 word17 word80 word401 word2003 word9001", k);
}

/// The same among passages that a filter allows: all, one of 10, one of 1,000.
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
    Bm25Index::open(&BUILT.path().join("index")).expect("a sound index")
}
