//! Searches with many queries at once.

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

/// The target time for holding the lock. While it is held, a change may wait for it, and with the change the searches
/// that come later.
const TARGET_LOCK_TIME: Duration = Duration::from_millis(50);
/// The number of queries under one lock is a multiple of this number, so that many queries share each row that a flat
/// index reads.
const QUERIES_PER_GROUP: usize = 96;

/// Queries, and how they and their hits are named.
#[derive(Debug, Default)]
pub struct QueryBatch<'a> {
    /// Ids of the queries. If this is empty, the position of each query is its id.
    pub ids: Vec<String>,
    /// Vectors `[queries, dim]`.
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
    /// Searches with each of the queries. The index may change between two queries.
    ///
    /// # Errors
    ///
    /// If a query is not a finite vector of the dimension of the index, if two queries have the same id, or if the work
    /// is cancelled.
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
                found.map_err(|error| error.moved_by(first))
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
    use dense::{FlatIndex, PHRASES, Put, Similarity};
    use serde_json::json;
    use std::sync::Arc;

    fn index(metadata: serde_json::Value, ids: &[&str]) -> Arc<SharedIndex> {
        let flat = FlatIndex::new(1, Similarity::Dot, metadata).expect("a dimension of 1");
        let index = SharedIndex::new(VectorIndex::Flat(flat), 0);
        let vectors = (0..ids.len()).map(|at| at as f32).collect();
        // `a 0` stands for phrase 0 of passage `a`; the separator in ids is U+001F.
        let ids = ids.iter().map(|id| id.replace(' ', "\u{1f}")).collect();
        index.put(Put::Add, ids, vectors, &Control::new()).expect("they are new");
        index
    }

    fn search(index: &SharedIndex, batch: QueryBatch<'_>, k: usize) -> Vec<(String, Vec<String>)> {
        let params = BatchParams { search: SearchParams { k, ef: 0 }, threads: 1 };
        let run = index.search_batch(batch, params, None, &Control::new()).expect("queries of dimension 1");
        let named = run.to_run().expect("ids are there");
        named
            .iter()
            .map(|(query, hits)| (query.to_owned(), hits.iter().map(|hit| hit.id.clone()).collect()))
            .collect()
    }

    #[test]
    fn queries_without_ids_are_named_by_their_positions_and_keep_their_order() {
        let index = index(json!(null), &["low", "high"]);
        let vectors: Vec<f32> = (0..500).map(|query| if query % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let found = search(&index, QueryBatch { vectors: &vectors, ..QueryBatch::default() }, 1);
        for (at, (query, ids)) in found.into_iter().enumerate() {
            assert_eq!((query, ids[0].as_str()), (at.to_string(), if at % 3 == 0 { "low" } else { "high" }));
        }
    }

    #[test]
    fn hits_are_phrases_or_passages_and_have_the_ids_of_either() {
        let index = index(json!({ PHRASES: {} }), &["a 0", "b 0", "b 1"]);
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
    fn a_slice_has_whole_groups_of_queries_for_about_50_ms_and_at_most_four_times_the_last_slice() {
        assert_eq!(next_slice_len(96, Duration::from_millis(1)), 384);
        assert_eq!(next_slice_len(384, Duration::from_millis(100)), 192);
        assert_eq!(next_slice_len(960, Duration::from_millis(55)), 864);
        assert_eq!(next_slice_len(96, Duration::from_secs(9)), 96);
        assert_eq!(next_slice_len(96, Duration::ZERO), 384);
    }
}
