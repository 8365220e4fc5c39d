//! Searches of a [`GrowingIndex`].

use control::Control;
use ranking::{Hit, by_rank};

use super::index::GrowingIndex;
use super::pending::PendingRows;
use crate::Error;
use crate::exact::scan::scan;
use crate::filter::Filter;
use crate::hnsw::graph_index::SearchParams;
use crate::hnsw::planner::Plan;

impl GrowingIndex {
    /// Returns approximately the `k` best rows for `query` `[dim]` among the live rows that `filter` allows, best
    /// first; equal scores are sorted by ord. Returns fewer than `k` only if fewer rows are live and allowed.
    ///
    /// `ef` is the number of candidates that the beam search expands in the graph, as in
    /// [`HnswIndex::search`](crate::HnswIndex::search). Pending rows are scanned. If there are at most 256 of them, or
    /// at most `4 * k`, their vectors are scored. If there are more, a scan of their codes selects the rows whose
    /// vectors are scored, which misses very few of the best rows.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`], [`Error::NotFinite`], [`Error::Length`], [`Error::Zero`] or [`Error::Canceled`].
    pub fn search(
        &self,
        query: &[f32],
        k: usize,
        ef: usize,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        let query = self.similarity().prepare_query(self.dim(), query)?;
        let view = self.rows.view();
        let graph_view = view.first(self.graph.num_graph_rows(), self.num_deleted_in_graph);
        let mut hits = self.graph.search(&graph_view, &query, SearchParams { k, ef, filter }, control)?;
        let pending = PendingRows::of(self, filter);
        if !pending.is_empty() {
            hits.extend(self.graph.scan_set(&view, &query, k, pending.words(), pending.len(), control)?);
            hits.sort_unstable_by(by_rank);
            // A revived row is pending, but a search that scans all rows of the graph has found it too.
            hits.dedup_by_key(|hit| hit.ord);
            hits.truncate(k);
        }
        Ok(hits)
    }

    /// Returns exactly the `k` best of the live rows that `filter` allows, best first; all of these rows if there are
    /// fewer than `k`. Scores each of them by its vector.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub fn search_exact(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        let query = self.similarity().prepare_query(self.dim(), query)?;
        Ok(scan(&self.rows.view(), &query, k, filter, control)?)
    }

    /// Estimates the work of a [search](Self::search) as an equivalent number of vectors to score. `allowed` is the
    /// number of rows that the filter of the search allows; `None` without a filter.
    #[must_use]
    pub fn rows_scored(&self, k: usize, ef: usize, allowed: Option<usize>) -> usize {
        let in_graph = self.graph.planner().rows_scored(k, ef, allowed, self.graph.num_graph_rows());
        let pending = self.pending().min(allowed.unwrap_or(usize::MAX));
        in_graph + Plan::rows_scored_by_scan(k, pending)
    }
}
