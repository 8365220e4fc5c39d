//! Exact search for the best 10 of 2,000 vectors, for one query and for a batch of 32 queries. For 100 hits, a search
//! would leave out the first pass of the storage `int8Rescored`.

use control::Control;
use dense::{FlatIndex, Similarity, Storage};
use gungraun::{library_benchmark, library_benchmark_group};
use ranking::Hit;
use serde_json::Value;

use crate::data::{clustered, never_dropped};

const ROWS: usize = 2000;
const DIM: usize = 384;
const QUERIES: usize = 32;

/// An index, and queries for it.
pub struct Flat {
    index: FlatIndex,
    queries: Vec<f32>,
}

fn flat(storage: &str) -> &'static Flat {
    let storage = Storage::from_name(storage).expect("a storage");
    let index = FlatIndex::with_storage(DIM, Similarity::Dot, storage, Value::Null);
    let (mut index, vectors) = (index.expect("a dimension"), clustered(ROWS, DIM, 2));
    index.add((0..ROWS).map(|row| row.to_string()).collect(), &vectors).expect("valid rows");
    let case = never_dropped(Flat { index, queries: clustered(QUERIES, DIM, 3) });
    // A first search, so that one-time initialization is not counted.
    case.index.search(&vectors[..DIM], 1, &Control::new()).expect("valid");
    case
}

#[library_benchmark]
#[bench::f32(flat("f32"))]
#[bench::f16(flat("f16"))]
#[bench::int8_rescored(flat("int8Rescored"))]
fn one(case: &Flat) -> Vec<Hit> {
    case.index.search(&case.queries[..DIM], 10, &Control::new()).expect("valid")
}

#[library_benchmark]
#[bench::f32(flat("f32"))]
#[bench::f16(flat("f16"))]
#[bench::int8_rescored(flat("int8Rescored"))]
fn many_32(case: &Flat) -> Vec<Vec<Hit>> {
    case.index.search_many(&case.queries, 10, 1, &Control::new()).expect("valid")
}

library_benchmark_group!(name = exact_search, benchmarks = [one, many_32]);
