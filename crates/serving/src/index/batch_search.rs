//! Batch searches: one call searches with many queries, in slices. The index may change between two slices.

use std::time::{Duration, Instant};

use control::Control;
use ranking::RetrievedRun;

use super::filters::RowFilter;
use super::ids::IdSnapshots;
use super::phrases::search as phrase_search;
use super::search::with_filter;
use super::shared::SharedIndex;
use super::vector_index::SearchParams;
use crate::Error;

/// The target time for holding the read lock. A change may wait for the lock in the meantime, and searches that arrive
/// later wait behind the change.
const TARGET_LOCK_TIME: Duration = Duration::from_millis(50);
/// A slice is the queries that are searched without releasing the lock. The size of every slice but the last is a
/// multiple of this number, because a flat index reads each row once for many queries.
const QUERIES_PER_GROUP: usize = 96;

/// The queries of a batch search, and what its hits are.
#[derive(Debug, Default)]
pub struct QueryBatch<'a> {
    /// Ids of the queries. If this is empty, the id of each query is its position in the batch, from 0.
    pub ids: Vec<String>,
    /// Vectors of the queries, `[queries, dim]`.
    pub vectors: &'a [f32],
    /// In an index of phrases: whether a hit has the id of its passage instead of the id of its phrase.
    pub names_passages: bool,
    /// In an index of phrases: whether every phrase can be a hit, instead of only the best phrase of each passage.
    pub ranks_phrases: bool,
}

/// The parameters of a [batch search](SharedIndex::search_batch).
#[derive(Debug, Clone, Copy)]
pub struct BatchParams {
    /// The parameters of each query's search.
    pub search: SearchParams,
    /// Number of threads; 0 means one per core.
    pub threads: usize,
}

impl SharedIndex {
    /// Searches with each of the queries. The index may change between two slices of queries.
    ///
    /// # Errors
    ///
    /// If a query is not a finite vector of the dimension of the index, if two queries have the same id, if the system
    /// cannot create threads, if the work is canceled, or if a change of the index panicked.
    pub fn search_batch(
        &self,
        batch: QueryBatch<'_>,
        params: BatchParams,
        filter: Option<&RowFilter>,
        control: &Control,
    ) -> Result<RetrievedRun, Error> {
        let BatchParams { search, threads } = params;
        let QueryBatch { ids: mut queries, vectors, names_passages, ranks_phrases } = batch;
        let dim = self.dim as usize;
        if queries.is_empty() {
            queries = (0..vectors.len() / dim).map(|at| at.to_string()).collect();
        }
        control.set_total(queries.len() as u64);
        let mut lists = Vec::with_capacity(queries.len());
        let mut snapshots = IdSnapshots::new(names_passages);
        let mut slice_len = QUERIES_PER_GROUP;
        while lists.len() < queries.len() {
            let first = lists.len();
            let slice = &vectors[first * dim..];
            let slice = &slice[..slice.len().min(slice_len * dim)];
            let began = Instant::now();
            let found = self.read(|index| {
                let found = with_filter(filter, |filter| {
                    if self.has_phrases && !ranks_phrases {
                        let estimate = &self.rows_per_passage;
                        phrase_search::search_many(index, estimate, slice, search, threads, filter, control)
                    } else {
                        index.search_many(slice, search, threads, filter, control)
                    }
                });
                snapshots.record(first, index.row_ids());
                found.map_err(|error| error.with_row_offset(first))
            })??;
            slice_len = next_slice_len(slice_len, began.elapsed());
            lists.extend(found);
        }
        Ok(RetrievedRun::new(queries, lists, Box::new(snapshots))?)
    }
}

/// Estimates the number of queries that take [`TARGET_LOCK_TIME`], given that `slice_len` queries took `elapsed`: a
/// multiple of [`QUERIES_PER_GROUP`], and at most four times `slice_len`.
fn next_slice_len(slice_len: usize, elapsed: Duration) -> usize {
    let elapsed = elapsed.max(Duration::from_micros(1));
    let fitting = slice_len as f64 * TARGET_LOCK_TIME.as_secs_f64() / elapsed.as_secs_f64();
    ((fitting as usize).min(slice_len * 4) / QUERIES_PER_GROUP).max(1) * QUERIES_PER_GROUP
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VectorIndex;
    use dense::{FlatIndex, PHRASES_KEY, Put, Similarity};
    use serde_json::json;
    use std::sync::Arc;

    /// A flat index of dimension 1. The vectors of the rows are 0, 1, 2, …
    fn index(metadata: serde_json::Value, ids: &[&str]) -> Arc<SharedIndex> {
        let flat = FlatIndex::new(1, Similarity::Dot, metadata).expect("a dimension of 1");
        let index = SharedIndex::new(VectorIndex::Flat(flat), 0);
        let vectors = (0..ids.len()).map(|at| at as f32).collect();
        // In `ids`, `a 0` stands for phrase 0 of passage `a`; in the index, the separator is U+001F.
        let ids = ids.iter().map(|id| id.replace(' ', "\u{1f}")).collect();
        index.put(Put::Add, ids, vectors, &Control::new()).expect("they are new");
        index
    }

    /// Returns the id of each query, with the ids of its hits.
    fn search(index: &SharedIndex, batch: QueryBatch<'_>, k: usize) -> Vec<(String, Vec<String>)> {
        let params = BatchParams { search: SearchParams { k, ef: 0 }, threads: 1 };
        let run = index.search_batch(batch, params, None, &Control::new()).expect("queries of dimension 1");
        let with_ids = run.to_run().expect("the ids are found");
        with_ids
            .iter()
            .map(|(query, hits)| (query.to_owned(), hits.iter().map(|hit| hit.id.clone()).collect()))
            .collect()
    }

    #[test]
    fn queries_without_ids_get_their_positions_as_ids_and_keep_their_order() {
        let index = index(json!(null), &["low", "high"]);
        let vectors: Vec<f32> = (0..500).map(|query| if query % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let found = search(&index, QueryBatch { vectors: &vectors, ..QueryBatch::default() }, 1);
        for (at, (query, ids)) in found.into_iter().enumerate() {
            assert_eq!((query, ids[0].as_str()), (at.to_string(), if at % 3 == 0 { "low" } else { "high" }));
        }
    }

    #[test]
    fn a_phrase_index_ranks_passages_or_phrases_and_returns_ids_of_passages_or_phrases() {
        let index = index(json!({ PHRASES_KEY: {} }), &["a 0", "b 0", "b 1"]);
        let found = |names_passages, ranks_phrases| {
            let batch =
                QueryBatch { ids: vec!["q".to_owned()], vectors: &[1.0], names_passages, ranks_phrases };
            search(&index, batch, 2).remove(0).1
        };
        assert_eq!(found(false, false), ["b\u{1f}1", "a\u{1f}0"]);
        assert_eq!(found(true, false), ["b", "a"]);
        assert_eq!(found(false, true), ["b\u{1f}1", "b\u{1f}0"]);
    }

    #[test]
    fn an_invalid_query_is_reported_with_its_position_in_the_batch() {
        let index = index(json!(null), &["a"]);
        let mut vectors = vec![1.0; 300];
        vectors[250] = f32::NAN;
        let params = BatchParams { search: SearchParams { k: 1, ef: 0 }, threads: 1 };
        let batch = QueryBatch { vectors: &vectors, ..QueryBatch::default() };
        let refused = index.search_batch(batch, params, None, &Control::new()).map(|_| ());
        assert!(
            matches!(refused, Err(Error::Dense(dense::Error::NotFinite { row: 250, .. }))),
            "{refused:?}"
        );
    }

    #[test]
    fn the_next_slice_takes_about_50_ms_in_whole_groups_and_grows_at_most_fourfold() {
        assert_eq!(next_slice_len(96, Duration::from_millis(1)), 384);
        assert_eq!(next_slice_len(384, Duration::from_millis(100)), 192);
        assert_eq!(next_slice_len(960, Duration::from_millis(55)), 864);
        assert_eq!(next_slice_len(96, Duration::from_secs(9)), 96);
        assert_eq!(next_slice_len(96, Duration::ZERO), 384);
    }
}
