//! The approximate index on clustered vectors of dimension 384, on one thread: building, searches for the 10 best rows by
//! `ef`, filtered searches by the share of allowed rows, and batches of queries.
//!
//! They check the costs of the planner (`src/hnsw/planner/costs.rs`).
//!
//! `cargo bench -p dense --bench hnsw`; `-- build` for one of them. The index of 20,000 rows takes half a minute to build.
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

struct Made {
    index: HnswIndex,
    queries: Vec<f32>,
}

static MADE: LazyLock<Made> = LazyLock::new(|| {
    let mut vectors = clustered(ROWS + QUERIES, DIM, 800);
    let queries = vectors.split_off(ROWS * DIM);
    Made { index: build(&vectors, Layout::Fast), queries }
});

fn build(vectors: &[f32], layout: Layout) -> HnswIndex {
    let options = HnswOptions { layout, ..HnswOptions::default() };
    let index = HnswIndex::new(DIM, Similarity::Dot, options, serde_json::Value::Null);
    let mut index = index.expect("a dimension and options");
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
    each(bencher, ef, None);
}

/// One in `of` rows is allowed: half of the rows are searched by a beam search, fewer by a code scan.
#[divan::bench(args = [2, 10, 100])]
fn search_one_of(bencher: Bencher<'_, '_>, of: u32) {
    let allowed: RowSet = (0..ROWS as u32).filter(|row| row.is_multiple_of(of)).collect();
    each(bencher, 64, Some(&allowed));
}

fn each(bencher: Bencher<'_, '_>, ef: usize, filter: Option<Filter<'_>>) {
    let Made { index, queries } = &*MADE;
    let mut next = queries.chunks(DIM).cycle();
    bencher
        .with_inputs(|| next.next().expect("there is always one"))
        .input_counter(|_| ItemsCount::new(1usize))
        .bench_local_values(|query| {
            index.search_filtered(query, K, ef, filter, &Control::new()).expect("valid")
        });
}

/// With an `ef` of 16 by beam searches, with one of 256 by a batch code scan.
#[divan::bench(args = [16, 256], sample_count = 5)]
fn a_thousand_at_once(bencher: Bencher<'_, '_>, ef: usize) {
    let Made { index, queries } = &*MADE;
    bencher
        .counter(ItemsCount::new(QUERIES))
        .bench_local(|| index.search_many(queries, K, ef, 1, &Control::new()).expect("valid"));
}

fn main() {
    divan::main();
}
