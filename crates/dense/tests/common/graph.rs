//! Indexes for the tests of HNSW graphs, and the recall of searches.

use std::collections::HashSet;

use control::Control;
use dense::{FlatIndex, HnswIndex, HnswOptions, InnerProduct, Layout, Similarity};
use ranking::Hit;
use serde_json::Value;

use super::ids;

/// Options of a small graph, which is built quickly.
pub const SMALL: HnswOptions = HnswOptions {
    m: 8,
    ef_construction: 60,
    seed: 42,
    keep_pruned: true,
    inner_product: InnerProduct::AugmentedL2,
    layout: Layout::Fast,
};

/// Builds a flat index of the vectors, with the ids `p0`, `p1`, …
pub fn flat(dim: usize, similarity: Similarity, vectors: &[f32]) -> FlatIndex {
    let mut index = FlatIndex::new(dim, similarity, Value::Null).expect("a dimension");
    index.add(ids(0..vectors.len() / dim), vectors).expect("valid rows");
    index
}

/// Builds an HNSW index of the vectors, with the ids `p0`, `p1`, …, on `threads` threads (0: one per CPU).
pub fn hnsw(
    dim: usize,
    similarity: Similarity,
    options: HnswOptions,
    vectors: &[f32],
    threads: usize,
) -> HnswIndex {
    let mut index = HnswIndex::new(dim, similarity, options, Value::Null).expect("valid options");
    let rows = vectors.len() / dim;
    let control = Control::new();
    index.add(ids(0..rows), vectors, threads, &control).expect("valid rows");
    assert_eq!((control.done(), index.len()), (rows as u64, rows));
    index
}

/// Returns the bytes of the index's file.
pub fn bytes(index: &HnswIndex) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    index.save(&path).expect("writable");
    std::fs::read(path).expect("readable")
}

/// Returns the recall: the share of the exact hits that are also in `found`, with the same row and a bitwise equal
/// score. Element i of both lists has the hits of query i. Panics if a query has a different number of hits in the two
/// lists.
pub fn recall(exact: &[Vec<Hit>], found: &[Vec<Hit>]) -> f64 {
    let (mut num_found, mut num_exact) = (0, 0);
    for (exact, found) in exact.iter().zip(found) {
        assert_eq!(exact.len(), found.len());
        assert!(found.is_sorted_by(|a, b| ranking::by_rank(a, b).is_lt()));
        let found: HashSet<(u32, u32)> = found.iter().map(|hit| (hit.ord, hit.score.to_bits())).collect();
        num_found += exact.iter().filter(|hit| found.contains(&(hit.ord, hit.score.to_bits()))).count();
        num_exact += exact.len();
    }
    num_found as f64 / num_exact as f64
}
