//! Searches an HNSW index for the 10 best of 2,000 vectors. One thread builds the graph, on the CPU that valgrind emulates,
//! so it is the same in every run.

use control::Control;
use dense::{HnswIndex, HnswOptions, RowSet, Similarity};
use gungraun::{library_benchmark, library_benchmark_group};
use ranking::Hit;
use serde_json::Value;

use crate::data::{clustered, kept};

const ROWS: usize = 2000;
/// Above 128, so that the index has sign-bit sketches.
const DIM: usize = 192;
const K: usize = 10;
/// So large that comparing all codes of 2,000 rows is cheaper than a graph search.
const EF: usize = 64;
/// Small enough for a graph search.
const WALK_EF: usize = 32;

pub struct Hnsw {
    index: HnswIndex,
    queries: Vec<f32>,
    allowed: RowSet,
}

fn hnsw() -> &'static Hnsw {
    let vectors = clustered(ROWS, DIM, 2);
    let queries = clustered(64, DIM, 3);
    let allowed = (0..ROWS as u32).filter(|row| row % 3 == 0).collect();
    let case = kept(Hnsw { index: built(&vectors), queries, allowed });
    // A first search, so that one-time initialization is not counted.
    case.index.search(&vectors[..DIM], K, EF, &Control::new()).expect("sound");
    case
}

fn built(vectors: &[f32]) -> HnswIndex {
    let options = HnswOptions { m: 12, ef_construction: 48, ..HnswOptions::default() };
    let index = HnswIndex::new(DIM, Similarity::Dot, options, Value::Null);
    let mut index = index.expect("a dimension and options");
    let ids = (0..vectors.len() / DIM).map(|row| row.to_string()).collect();
    index.add(ids, vectors, 1, &Control::new()).expect("sound rows");
    index
}

// Graph searches, one after another.
#[library_benchmark]
#[bench::of_8_queries(hnsw())]
fn walk(case: &Hnsw) -> Vec<Vec<Hit>> {
    let search = |query| case.index.search(query, K, WALK_EF, &Control::new()).expect("sound");
    case.queries.chunks(DIM).take(8).map(search).collect()
}

// Graph searches whose steps are interleaved.
#[library_benchmark]
#[bench::of_8_queries(hnsw())]
fn interleaved_walks(case: &Hnsw) -> Vec<Vec<Hit>> {
    case.index.search_many(&case.queries[..8 * DIM], K, WALK_EF, 1, &Control::new()).expect("sound")
}

// A scan over the codes of the rows that a filter allows.
#[library_benchmark]
#[bench::of_667_rows(hnsw())]
fn sweep(case: &Hnsw) -> Vec<Hit> {
    let filter = Some(&case.allowed as dense::Filter<'_>);
    case.index.search_filtered(&case.queries[..DIM], K, EF, filter, &Control::new()).expect("sound")
}

// A scan over all codes.
#[library_benchmark]
#[bench::of_2000_rows(hnsw())]
fn sweep_of_all(case: &Hnsw) -> Vec<Hit> {
    case.index.search(&case.queries[..DIM], K, EF, &Control::new()).expect("sound")
}

// A scan over all codes for many queries at once.
#[library_benchmark]
#[bench::of_64_queries(hnsw())]
fn sweep_for_many(case: &Hnsw) -> Vec<Vec<Hit>> {
    case.index.search_many(&case.queries, K, EF, 1, &Control::new()).expect("sound")
}

#[library_benchmark]
#[bench::of_500_rows(clustered(500, DIM, 2))]
fn build(vectors: Vec<f32>) -> &'static HnswIndex {
    kept(built(&vectors))
}

library_benchmark_group!(
    name = graph_search,
    benchmarks = [walk, interleaved_walks, sweep, sweep_of_all, sweep_for_many, build]
);
