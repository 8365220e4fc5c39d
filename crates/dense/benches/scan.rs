//! Times exact search for one query and for batches of 1,000 queries, with several numbers of rows and dimensions, on
//! one thread.
//!
//! ```sh
//! cargo bench -p dense --bench scan
//! ```
//!
//! For one query, the throughput is in bytes of vectors read. For a batch, it is in floating-point operations (a
//! multiplication and an addition per number), so Gitem/s are GFLOP/s. `cargo bench -p kernels --bench limits`
//! measures the maximum throughput of the machine.

use control::Control;
use dense::{FlatIndex, Similarity};
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use numerics::SplitMix64;
use serde_json::Value;

/// Number of rows and dimension of each index.
const SHAPES: [(usize, usize); 3] = [(50_000, 384), (200_000, 384), (100_000, 768)];
const QUERIES: usize = 1000;

fn main() {
    divan::main();
}

#[divan::bench(args = SHAPES, sample_count = 20)]
fn one_query_top_100(bencher: Bencher<'_, '_>, (rows, dim): (usize, usize)) {
    let (index, query) = (index(rows, dim), random_values(dim, 1));
    let search = || index.search(black_box(&query), 100, &Control::new());
    bencher.counter(BytesCount::new(rows * dim * 4)).bench(search);
}

#[divan::bench(args = SHAPES, sample_count = 3, sample_size = 1)]
fn a_thousand_queries_top_100(bencher: Bencher<'_, '_>, (rows, dim): (usize, usize)) {
    batch(bencher, rows, dim, 100);
}

#[divan::bench(args = [SHAPES[0]], sample_count = 3, sample_size = 1)]
fn a_thousand_queries_top_1000(bencher: Bencher<'_, '_>, (rows, dim): (usize, usize)) {
    batch(bencher, rows, dim, 1000);
}

/// Times a batch search for [`QUERIES`] queries.
fn batch(bencher: Bencher<'_, '_>, rows: usize, dim: usize, k: usize) {
    let (index, queries) = (index(rows, dim), random_values(QUERIES * dim, 1));
    let search = || index.search_many(black_box(&queries), k, 1, &Control::new());
    bencher.counter(ItemsCount::new(QUERIES * rows * dim * 2)).bench(search);
}

/// Returns an index of random vectors.
fn index(rows: usize, dim: usize) -> FlatIndex {
    let mut index = FlatIndex::new(dim, Similarity::Dot, Value::Null).expect("a dimension");
    let ids = (0..rows).map(|row| row.to_string()).collect();
    index.add(ids, &random_values(rows * dim, 0)).expect("valid rows");
    index
}

/// Returns random numbers with an approximately normal distribution.
fn random_values(count: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|_| random.roughly_normal()).collect()
}
