//! The 10 best of 2,000 vectors by an index whose graph one thread has built: the same graph each time, for valgrind's CPU
//! builds it.

use control::Control;
use dense::{HnswIndex, HnswOptions, RowSet, Similarity};
use gungraun::{library_benchmark, library_benchmark_group};
use ranking::Hit;
use serde_json::Value;

use crate::data::{clustered, kept};

const ROWS: usize = 2000;
/// Above 128, so that rows have signs beside their codes.
const DIM: usize = 192;
const K: usize = 10;
/// More than a walk among so few rows is worth.
const EF: usize = 64;
/// Few enough for one.
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
    // What the first search finds out once is not counted.
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

// Eight queries, one after another.
#[library_benchmark]
#[bench::of_8_queries(hnsw())]
fn walk(case: &Hnsw) -> Vec<Vec<Hit>> {
    let search = |query| case.index.search(query, K, WALK_EF, &Control::new()).expect("sound");
    case.queries.chunks(DIM).take(8).map(search).collect()
}

// Eight queries by turns.
#[library_benchmark]
#[bench::of_8_queries(hnsw())]
fn interleaved_walks(case: &Hnsw) -> Vec<Vec<Hit>> {
    case.index.search_many(&case.queries[..8 * DIM], K, WALK_EF, 1, &Control::new()).expect("sound")
}

// All codes that a filter allows.
#[library_benchmark]
#[bench::of_667_rows(hnsw())]
fn sweep(case: &Hnsw) -> Vec<Hit> {
    let filter = Some(&case.allowed as dense::Filter<'_>);
    case.index.search_filtered(&case.queries[..DIM], K, EF, filter, &Control::new()).expect("sound")
}

// All codes, without a filter.
#[library_benchmark]
#[bench::of_2000_rows(hnsw())]
fn sweep_of_all(case: &Hnsw) -> Vec<Hit> {
    case.index.search(&case.queries[..DIM], K, EF, &Control::new()).expect("sound")
}

// All codes with all of so many queries.
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
