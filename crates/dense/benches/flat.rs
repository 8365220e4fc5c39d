//! Times exact search for the best 100 of 50,000 clustered vectors of dimension 384 on one thread, with each storage
//! format. With `int8Rescored`, the index also has an int8 copy of the vectors, and scores in f32 only the vectors that
//! the copy does not rule out by a proven bound.
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
const STORAGES: [&str; 3] = ["f32", "f16", "int8Rescored"];

/// The data of all benchmarks.
struct Fixture {
    /// One index for each of [`STORAGES`].
    indexes: Vec<FlatIndex>,
    queries: Vec<f32>,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let mut vectors = clustered(ROWS + QUERIES, DIM, 2000);
    let queries = vectors.split_off(ROWS * DIM);
    let indexes = STORAGES.map(|name| {
        let storage = Storage::from_name(name).expect("a known storage");
        let mut index = FlatIndex::with_storage(DIM, Similarity::Dot, storage, serde_json::Value::Null)
            .expect("a dimension");
        index.add((0..ROWS).map(|row| row.to_string()).collect(), &vectors).expect("valid rows");
        index
    });
    Fixture { indexes: indexes.into(), queries }
});

#[divan::bench(args = STORAGES, sample_count = 20)]
fn one_at_a_time(bencher: Bencher<'_, '_>, storage: &str) {
    let Fixture { indexes, queries } = &*FIXTURE;
    let index = &indexes[STORAGES.iter().position(|&name| name == storage).expect("one of them")];
    let mut next = queries.chunks(DIM).cycle();
    bencher
        .with_inputs(|| next.next().expect("a cycle never ends"))
        .input_counter(|_| ItemsCount::new(1usize))
        .bench_local_values(|query| index.search(query, K, &Control::new()).expect("valid"));
}

#[divan::bench(args = STORAGES, sample_count = 5)]
fn a_thousand_at_once(bencher: Bencher<'_, '_>, storage: &str) {
    let Fixture { indexes, queries } = &*FIXTURE;
    let index = &indexes[STORAGES.iter().position(|&name| name == storage).expect("one of them")];
    bencher
        .counter(ItemsCount::new(QUERIES))
        .bench_local(|| index.search_many(queries, K, 1, &Control::new()).expect("valid"));
}

fn main() {
    divan::main();
}
