//! Searches an HNSW index for the best 10 of 2,000 vectors, and builds an index of 500 vectors. One thread builds each
//! graph, on the CPU that valgrind emulates, so the graph is the same in every run. A code scan is a brute-force scan
//! over quantized codes. Each case forces its strategy, so the planner does not choose one.

use control::Control;
use dense::calibration::ForcedStrategy;
use dense::{Filter, HnswIndex, HnswOptions, RowSet, Similarity};
use gungraun::{library_benchmark, library_benchmark_group};
use ranking::Hit;
use serde_json::Value;

use crate::data::{clustered, never_dropped};

const ROWS: usize = 2000;
/// Above 128, so that the index has sign-bit sketches.
const DIM: usize = 192;
const K: usize = 10;
const EF: usize = 32;

/// An index with 64 queries, and a filter that allows every third row.
pub struct Hnsw {
    index: HnswIndex,
    queries: Vec<f32>,
    allowed: RowSet,
}

fn hnsw() -> &'static Hnsw {
    let vectors = clustered(ROWS, DIM, 2);
    let queries = clustered(64, DIM, 3);
    let allowed = (0..ROWS as u32).filter(|row| row % 3 == 0).collect();
    let case = never_dropped(Hnsw { index: built(&vectors), queries, allowed });
    // A first search, so that one-time initialization is not counted.
    for strategy in [ForcedStrategy::BeamSearch, ForcedStrategy::CodeScan] {
        search(case, strategy, &vectors[..DIM], None);
    }
    case
}

fn search(
    case: &Hnsw,
    strategy: ForcedStrategy,
    queries: &[f32],
    filter: Option<Filter<'_>>,
) -> Vec<Vec<Hit>> {
    case.index.search_with_strategy(strategy, queries, K, EF, filter, &Control::new()).expect("valid")
}

/// Builds an index of vectors on one thread.
fn built(vectors: &[f32]) -> HnswIndex {
    let options = HnswOptions { m: 12, ef_construction: 48, ..HnswOptions::default() };
    let index = HnswIndex::new(DIM, Similarity::Dot, options, Value::Null);
    let mut index = index.expect("a dimension and options");
    let ids = (0..vectors.len() / DIM).map(|row| row.to_string()).collect();
    index.add(ids, vectors, 1, &Control::new()).expect("valid rows");
    index
}

// Beam searches, one after another.
#[library_benchmark]
#[bench::of_8_queries(hnsw())]
fn beam_search(case: &Hnsw) -> Vec<Vec<Hit>> {
    case.queries
        .chunks(DIM)
        .take(8)
        .flat_map(|query| search(case, ForcedStrategy::BeamSearch, query, None))
        .collect()
}

// Beam searches for several queries in one batch, with interleaved steps.
#[library_benchmark]
#[bench::of_8_queries(hnsw())]
fn interleaved_beam_searches(case: &Hnsw) -> Vec<Vec<Hit>> {
    search(case, ForcedStrategy::BeamSearch, &case.queries[..8 * DIM], None)
}

// A scan over the codes of the rows that a filter allows.
#[library_benchmark]
#[bench::of_667_rows(hnsw())]
fn filtered_code_scan(case: &Hnsw) -> Vec<Vec<Hit>> {
    search(case, ForcedStrategy::CodeScan, &case.queries[..DIM], Some(&case.allowed))
}

// A scan over all codes.
#[library_benchmark]
#[bench::of_2000_rows(hnsw())]
fn code_scan(case: &Hnsw) -> Vec<Vec<Hit>> {
    search(case, ForcedStrategy::CodeScan, &case.queries[..DIM], None)
}

// A scan over all codes for a batch of queries.
#[library_benchmark]
#[bench::of_64_queries(hnsw())]
fn batch_code_scan(case: &Hnsw) -> Vec<Vec<Hit>> {
    search(case, ForcedStrategy::BatchCodeScan, &case.queries, None)
}

#[library_benchmark]
#[bench::of_500_rows(clustered(500, DIM, 2))]
fn build(vectors: Vec<f32>) -> &'static HnswIndex {
    never_dropped(built(&vectors))
}

library_benchmark_group!(
    name = graph_search,
    benchmarks =
        [beam_search, interleaved_beam_searches, filtered_code_scan, code_scan, batch_code_scan, build]
);
