//! Times exact search for the best 100 of 50,000 clustered vectors of dimension 384 on one thread, with each storage
//! format. With `int8Rescored`, the index also has int8 codes of the vectors, and scores in f32 only the vectors that
//! the codes do not rule out by a proven bound. `few_rows` searches 5,000 of the vectors, for so many hits that a search
//! with `int8Rescored` uses the codes in some cases, and in others scores all vectors because there are few per hit.
//! `dimensions` searches vectors of other dimensions, for the best 10.
//!
//! ```sh
//! cargo bench --profile dist -p dense --bench flat
//! ```
#![allow(missing_docs, reason = "a bench")]

#[path = "support/clustered.rs"]
mod support;

use std::sync::LazyLock;

use control::Control;
use dense::{FlatIndex, Similarity, Storage};
use divan::Bencher;
use divan::counter::ItemsCount;
use support::clustered;

const ROWS: usize = 50_000;
const DIM: usize = 384;
const K: usize = 100;
const QUERIES: usize = 1000;
const FEW_ROWS: usize = 5_000;
/// Numbers of queries and hits.
const FEW_ROWS_CASES: [(usize, usize); 10] =
    [(1, 50), (1, 200), (2, 50), (3, 50), (4, 100), (8, 100), (8, 800), (16, 50), (1000, 50), (1000, 100)];
const STORAGES: [&str; 3] = ["f32", "f16", "int8Rescored"];

/// Dimensions that are multiples of a register's numbers, and others.
const DIMENSIONS: [usize; 6] = [64, 100, 128, 200, 256, 300];
/// The number of vectors in [`dimensions`] times their dimension.
const NUMBERS: usize = 5_000_000;

/// The data of the other benchmarks.
struct Fixture {
    /// One index for each of [`STORAGES`].
    indexes: Vec<FlatIndex>,
    /// The same for the first [`FEW_ROWS`] vectors.
    small_indexes: Vec<FlatIndex>,
    queries: Vec<f32>,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let mut vectors = clustered(ROWS + QUERIES, DIM, 2000);
    let queries = vectors.split_off(ROWS * DIM);
    let indexes = |rows: usize| STORAGES.map(|storage| build(storage, DIM, &vectors[..rows * DIM])).into();
    Fixture { indexes: indexes(ROWS), small_indexes: indexes(FEW_ROWS), queries }
});

/// Builds an index of vectors `[rows * dim]`.
fn build(storage: &str, dim: usize, vectors: &[f32]) -> FlatIndex {
    let storage = Storage::from_name(storage).expect("a known storage");
    let mut index =
        FlatIndex::with_storage(dim, Similarity::Dot, storage, serde_json::Value::Null).expect("a dimension");
    let ids = (0..vectors.len() / dim).map(|row| row.to_string()).collect();
    index.add(ids, vectors).expect("valid rows");
    index
}

/// Returns the index with a storage.
fn with_storage<'a>(indexes: &'a [FlatIndex], storage: &str) -> &'a FlatIndex {
    &indexes[STORAGES.iter().position(|&name| name == storage).expect("one of them")]
}

#[divan::bench(args = STORAGES, sample_count = 20)]
fn one_at_a_time(bencher: Bencher<'_, '_>, storage: &str) {
    let Fixture { indexes, queries, .. } = &*FIXTURE;
    let index = with_storage(indexes, storage);
    let mut next = queries.chunks(DIM).cycle();
    bencher
        .with_inputs(|| next.next().expect("a cycle never ends"))
        .input_counter(|_| ItemsCount::new(1usize))
        .bench_local_values(|query| index.search(query, K, &Control::new()).expect("valid"));
}

#[divan::bench(args = STORAGES, sample_count = 5)]
fn a_thousand_at_once(bencher: Bencher<'_, '_>, storage: &str) {
    let Fixture { indexes, queries, .. } = &*FIXTURE;
    let index = with_storage(indexes, storage);
    bencher
        .counter(ItemsCount::new(QUERIES))
        .bench_local(|| index.search_many(queries, K, 1, &Control::new()).expect("valid"));
}

#[divan::bench(args = few_rows_cases(), sample_count = 20)]
fn few_rows(bencher: Bencher<'_, '_>, &(storage, num_queries, k): &(&str, usize, usize)) {
    let Fixture { small_indexes, queries, .. } = &*FIXTURE;
    let (index, queries) = (with_storage(small_indexes, storage), &queries[..num_queries * DIM]);
    bencher
        .counter(ItemsCount::new(num_queries))
        .bench_local(|| index.search_many(queries, k, 1, &Control::new()).expect("valid"));
}

/// Searches one query at a time for the best 10. All indexes take about the same memory.
#[divan::bench(args = dimensions_cases(), sample_count = 50)]
fn dimensions(bencher: Bencher<'_, '_>, &(storage, dim): &(&str, usize)) {
    let rows = NUMBERS / dim;
    let vectors = clustered(rows + 1, dim, 2000);
    let (vectors, query) = vectors.split_at(rows * dim);
    let index = build(storage, dim, vectors);
    bencher.bench_local(|| index.search(query, 10, &Control::new()).expect("valid"));
}

fn dimensions_cases() -> impl Iterator<Item = (&'static str, usize)> {
    DIMENSIONS.into_iter().flat_map(|dim| STORAGES.map(|name| (name, dim)))
}

fn few_rows_cases() -> impl Iterator<Item = (&'static str, usize, usize)> {
    FEW_ROWS_CASES.into_iter().flat_map(|(queries, k)| ["f32", "int8Rescored"].map(|name| (name, queries, k)))
}

fn main() {
    divan::main();
}
