//! Times the approximate index on clustered vectors of dimension 384, on one thread: building, searches for the best 10
//! rows with several values of `ef`, searches with filters that allow different shares of the rows, and batches of
//! queries.
//!
//! The planner chooses between a beam search in the graph and a code scan, which scores the quantized codes of all rows.
//! The benchmark `planner` compares both.
//!
//! ```sh
//! cargo bench -p dense --bench hnsw             # all benchmarks
//! cargo bench -p dense --bench hnsw -- build    # only benchmarks whose name contains "build"
//! ```
//!
//! The index of 20,000 rows takes half a minute to build.
#![allow(missing_docs, reason = "a bench")]

#[path = "support/clustered.rs"]
mod support;

use std::sync::LazyLock;

use control::Control;
use dense::{Filter, HnswIndex, HnswOptions, Layout, RowSet, Similarity};
use divan::Bencher;
use divan::counter::ItemsCount;
use support::clustered;

const ROWS: usize = 20_000;
const DIM: usize = 384;
const QUERIES: usize = 1000;
const K: usize = 10;

/// The index and the queries of all search benchmarks.
struct Fixture {
    index: HnswIndex,
    queries: Vec<f32>,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let mut vectors = clustered(ROWS + QUERIES, DIM, 800);
    let queries = vectors.split_off(ROWS * DIM);
    Fixture { index: build(&vectors, Layout::Fast), queries }
});

/// Builds an index of these vectors on one thread, with default options except for the layout.
fn build(vectors: &[f32], layout: Layout) -> HnswIndex {
    let options = HnswOptions { layout, ..HnswOptions::default() };
    let index = HnswIndex::new(DIM, Similarity::Dot, options, serde_json::Value::Null);
    let mut index = index.expect("valid options");
    let ids = (0..vectors.len() / DIM).map(|row| row.to_string()).collect();
    index.add(ids, vectors, 1, &Control::new()).expect("valid rows");
    index
}

#[divan::bench(args = ["fast", "compact"], sample_count = 3, sample_size = 1)]
fn build_2000(bencher: Bencher<'_, '_>, layout: &str) {
    let vectors = clustered(2000, DIM, 80);
    let layout = Layout::from_name(layout).expect("a layout");
    bencher.counter(ItemsCount::new(2000usize)).bench_local(|| build(&vectors, layout));
}

#[divan::bench(args = [16, 64, 256])]
fn search(bencher: Bencher<'_, '_>, ef: usize) {
    search_each(bencher, ef, None);
}

/// Times searches with a filter that allows one in `divisor` rows. With the costs of AVX-512, the planner chooses a beam
/// search if half of the rows are allowed, and a code scan if a tenth or a hundredth of them are.
#[divan::bench(args = [2, 10, 100])]
fn search_one_in(bencher: Bencher<'_, '_>, divisor: u32) {
    let allowed: RowSet = (0..ROWS as u32).filter(|row| row.is_multiple_of(divisor)).collect();
    search_each(bencher, 64, Some(&allowed));
}

/// Times searches of one query at a time.
fn search_each(bencher: Bencher<'_, '_>, ef: usize, filter: Option<Filter<'_>>) {
    let Fixture { index, queries } = &*FIXTURE;
    let mut next = queries.chunks(DIM).cycle();
    bencher
        .with_inputs(|| next.next().expect("a cycle never ends"))
        .input_counter(|_| ItemsCount::new(1usize))
        .bench_local_values(|query| {
            index.search_filtered(query, K, ef, filter, &Control::new()).expect("valid")
        });
}

/// Times a batch of queries. With the costs of AVX-512, the planner chooses beam searches for `ef` = 16, and one code
/// scan for the whole batch for `ef` = 256.
#[divan::bench(args = [16, 256], sample_count = 5)]
fn a_thousand_at_once(bencher: Bencher<'_, '_>, ef: usize) {
    let Fixture { index, queries } = &*FIXTURE;
    bencher
        .counter(ItemsCount::new(QUERIES))
        .bench_local(|| index.search_many(queries, K, ef, 1, &Control::new()).expect("valid"));
}

fn main() {
    divan::main();
}
