//! Analysis, indexing and searching, on passages made up of words that are as common as words are.
//!
//! `cargo bench -p sparse --bench bm25`

use std::fmt::Write;
use std::sync::LazyLock;

use control::Control;
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use sparse::{Analyzer, Bm25, Bm25Index, IndexWriter, WriterOptions};

fn main() {
    divan::main();
}

/// Word `i` about in proportion to 1 / i: a multiplicative congruential generator through an exponential.
fn words(count: usize, seed: u64) -> String {
    let (mut state, mut text) = (seed, String::new());
    for _ in 0..count {
        state = state.wrapping_mul(0xf135_7aea_2e62_a9c5) | 1;
        let exponent = (state >> 40) as f64 / (1u64 << 24) as f64;
        write!(text, "word{} ", 40_000f64.powf(exponent) as u64).expect("a string takes all");
    }
    text
}

fn passages(count: u64) -> Vec<String> {
    (0..count).map(|at| words(60, 2 * at + 1)).collect()
}

fn build(passages: &[String]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    let mut writer =
        IndexWriter::create(&path, Analyzer::ENGLISH, WriterOptions::default()).expect("an empty folder");
    for (at, passage) in passages.iter().enumerate() {
        writer.add(&at.to_string(), None, passage).expect("a new id");
    }
    writer.commit().expect("a commit");
    folder
}

#[divan::bench]
fn analyse(bencher: Bencher<'_, '_>) {
    let text =
        "The Court will now hear argument in the case of the bridge’s builders, who were running late. "
            .repeat(20);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut letters = 0;
        Analyzer::ENGLISH.for_each_token(&text, |token| letters += token.len());
        letters
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn index_5000(bencher: Bencher<'_, '_>) {
    let passages = passages(5_000);
    bencher.counter(ItemsCount::new(passages.len())).bench(|| build(&passages));
}

static BUILT: LazyLock<tempfile::TempDir> = LazyLock::new(|| build(&passages(50_000)));

#[divan::bench(args = [10, 100, 1000])]
fn search_50000(bencher: Bencher<'_, '_>, k: usize) {
    let index = Bm25Index::open(&BUILT.path().join("index")).expect("a sound index");
    let (searcher, control) = (index.searcher(), Control::new());
    let queries: Vec<String> = (0..100).map(|at| words(7, 7_000_001 + 2 * at)).collect();
    bencher.counter(ItemsCount::new(queries.len())).bench(|| {
        let search =
            |query: &String| searcher.search(query, k, Bm25::default(), &control).expect("hits").len();
        queries.iter().map(search).sum::<usize>()
    });
}
