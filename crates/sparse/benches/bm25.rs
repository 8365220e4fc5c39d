//! Benchmarks of analyzing a text, and of indexing and searching random passages. Each passage has 60 words, whose
//! frequencies follow Zipf's law.
//!
//! Run `cargo bench -p sparse --bench bm25`.

#[path = "support/passages.rs"]
mod support;

use std::sync::LazyLock;

use control::Control;
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use sparse::{Analyzer, Bm25, Bm25Index};
use support::{build, passages, words};

fn main() {
    divan::main();
}

/// Analyzes an English text.
#[divan::bench]
fn analyze(bencher: Bencher<'_, '_>) {
    let text =
        "The Court will now hear argument in the case of the bridge’s builders, who were running late. "
            .repeat(20);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut bytes = 0;
        Analyzer::ENGLISH.for_each_token(&text, |token| bytes += token.len());
        bytes
    });
}

/// Builds an index of 5,000 passages.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn index_5000(bencher: Bencher<'_, '_>) {
    let passages = passages(5_000, |_| 60);
    bencher.counter(ItemsCount::new(passages.len())).bench(|| build(&passages));
}

/// The folder with an index of 50,000 passages of 60 words.
static BUILT: LazyLock<tempfile::TempDir> = LazyLock::new(|| build(&passages(50_000, |_| 60)));

/// Searches 50,000 passages with 100 queries, one after another.
#[divan::bench(args = [10, 100, 1000])]
fn search_50000(bencher: Bencher<'_, '_>, k: usize) {
    let index = Bm25Index::open(&BUILT.path().join("index")).expect("an intact index");
    let (searcher, control) = (index.searcher(), Control::new());
    // 100 queries of seven words, made with seeds that are not used for any passage.
    let queries: Vec<String> = (0..100).map(|at| words(7, 7_000_001 + 2 * at)).collect();
    bencher.counter(ItemsCount::new(queries.len())).bench(|| {
        let search =
            |query: &String| searcher.search(query, k, Bm25::default(), &control).expect("hits").len();
        queries.iter().map(search).sum::<usize>()
    });
}
