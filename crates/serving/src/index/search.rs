//! Searches with one query.

use std::time::Instant;

use control::Control;
use dense::Filter;
use ranking::Hit;

use super::filters::RowFilter;
use super::phrases::search as phrase_search;
use super::shared::SharedIndex;
use super::vector_index::{SearchParams, VectorIndex};
use crate::Error;

impl SharedIndex {
    /// Searches, and calls `collect` with the hits, best first. The index does not change before `collect` returns. In
    /// an index of phrases, there is one hit for each of the `k` best passages: the best of its phrases.
    ///
    /// # Errors
    ///
    /// Fails if the query is not a finite vector of the index's dimension, if the work is canceled, or if an earlier
    /// change panicked.
    pub fn search<R>(
        &self,
        query: &[f32],
        params: SearchParams,
        filter: Option<&RowFilter>,
        control: &Control,
        collect: impl FnOnce(&VectorIndex, &[Hit]) -> R,
    ) -> Result<R, Error> {
        self.read(|index| self.search_in(index, query, params, filter, control, collect))?
    }

    /// Like [`search`](Self::search), but returns `None` without searching if the search will probably take longer than
    /// a quarter of a millisecond, if a change has locked the index, if the vectors may have to be read from a disk, or
    /// if there may be more than `max_hits` hits. In an index where no search has run yet, always returns `None`.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub fn search_if_quick<R>(
        &self,
        query: &[f32],
        params: SearchParams,
        filter: Option<&RowFilter>,
        max_hits: usize,
        collect: impl FnOnce(&VectorIndex, &[Hit]) -> R,
    ) -> Result<Option<R>, Error> {
        if !self.is_resident() {
            return Ok(None);
        }
        let searched = self.try_read(|index| {
            let rows = index.rows_scored(params, allowed_count(filter));
            if !self.latency.is_quick(rows) || params.k.min(index.live_len()) > max_hits {
                return Ok(None);
            }
            self.search_in(index, query, params, filter, &Control::new(), collect).map(Some)
        })?;
        searched.unwrap_or(Ok(None))
    }

    fn search_in<R>(
        &self,
        index: &VectorIndex,
        query: &[f32],
        params: SearchParams,
        filter: Option<&RowFilter>,
        control: &Control,
        collect: impl FnOnce(&VectorIndex, &[Hit]) -> R,
    ) -> Result<R, Error> {
        let began = Instant::now();
        let rows = index.rows_scored(params, allowed_count(filter));
        let hits = with_filter(filter, |filter| {
            if self.has_phrases {
                phrase_search::search(index, &self.rows_per_passage, query, params, filter, control)
            } else {
                index.search(query, params, filter, control)
            }
        })?;
        let collected = collect(index, &hits);
        self.latency.record(rows, began.elapsed());
        Ok(collected)
    }
}

/// Number of rows that the filter allows, or `None` without a filter.
fn allowed_count(filter: Option<&RowFilter>) -> Option<usize> {
    filter.map(|filter| filter.rows().len())
}

/// Calls `search` with the rows of a filter. The filter cannot change before `search` returns.
pub(super) fn with_filter<R>(filter: Option<&RowFilter>, search: impl FnOnce(Option<Filter>) -> R) -> R {
    match filter.map(RowFilter::rows) {
        Some(rows) => search(Some(&*rows)),
        None => search(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dense::{FlatIndex, Put, Similarity};
    use std::sync::Arc;
    use std::time::Duration;

    const PARAMS: SearchParams = SearchParams { k: 1, ef: 0 };

    /// An index of dimension 1 with the row `a`, whose vector is 1, and the row `b`, whose vector is 2.
    fn two_rows() -> Arc<SharedIndex> {
        let flat = FlatIndex::new(1, Similarity::Dot, serde_json::Value::Null).expect("a dimension of 1");
        let index = SharedIndex::new(VectorIndex::Flat(flat), 0);
        let ids = vec!["a".to_owned(), "b".to_owned()];
        index.put(Put::Add, ids, vec![1.0, 2.0], &Control::new()).expect("they are new");
        index
    }

    fn best(index: &VectorIndex, hits: &[Hit]) -> String {
        index.id(hits[0].ord).to_owned()
    }

    #[test]
    fn search_if_quick_runs_only_if_the_search_is_expected_to_be_quick() {
        let index = two_rows();
        assert_eq!(index.search_if_quick(&[1.0], PARAMS, None, 10, best).expect("dimension 1"), None);
        index.latency.record(2, Duration::from_nanos(20));
        let found = index.search_if_quick(&[1.0], PARAMS, None, 10, best).expect("dimension 1");
        assert_eq!(found.as_deref(), Some("b"));
    }

    #[test]
    fn a_search_that_may_have_too_many_hits_does_not_run_as_a_quick_search() {
        let index = two_rows();
        index.latency.record(2, Duration::from_nanos(20));
        let params = SearchParams { k: 9, ef: 0 };
        let search =
            |max_hits| index.search_if_quick(&[1.0], params, None, max_hits, best).expect("dimension 1");
        // Two rows give at most two hits.
        assert_eq!((search(1), search(2).as_deref()), (None, Some("b")));
    }

    #[test]
    fn a_quick_search_does_not_wait_for_a_change() {
        let index = two_rows();
        index.latency.record(2, Duration::from_nanos(20));
        let during_change = index.write(|_| {
            let search = || index.search_if_quick(&[1.0], PARAMS, None, 10, best).expect("dimension 1");
            std::thread::scope(|scope| scope.spawn(search).join().expect("no panic"))
        });
        assert_eq!(during_change.expect("no panic"), None);
    }
}
