//! Searches of an [`HnswIndex`].

use control::Control;
use ranking::Hit;

use super::HnswIndex;
use crate::Error;
use crate::filter::Filter;
use crate::hnsw::graph_index::SearchParams;
use crate::hnsw::planner::{ForcedStrategy, Plan};

impl HnswIndex {
    /// Returns approximately the `k` best rows for `query` `[dim]`, best first; fewer only if fewer rows are live.
    ///
    /// `ef` is the number of candidates that the beam search expands: with a higher `ef`, fewer of the best rows are
    /// missed. It may be less than `k`, because each expansion leads to many rows. If scoring the codes of all rows is
    /// faster, as in an index of a few thousand rows, the search does that instead.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`], [`Error::NotFinite`], [`Error::Length`], [`Error::Zero`] or [`Error::Canceled`].
    pub fn search(&self, query: &[f32], k: usize, ef: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        self.search_filtered(query, k, ef, None, control)
    }

    /// Like [`search`](Self::search), but returns only rows that `filter` allows: fewer than `k` only if it allows
    /// fewer live rows.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub fn search_filtered(
        &self,
        query: &[f32],
        k: usize,
        ef: usize,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        let query = self.rows.similarity().prepare_query(self.rows.dim(), query)?;
        Ok(self.graph.search(&self.rows.view(), &query, SearchParams { k, ef, filter }, control)?)
    }

    /// [Searches](Self::search) with each of the queries `[q * dim]`, row-major, on `threads` threads (0: one per CPU).
    /// Many queries share one scan over all codes if that is faster; the scan misses very few of the best rows. Counts
    /// each query as one unit of progress.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search); also [`Error::Threads`].
    pub fn search_many(
        &self,
        queries: &[f32],
        k: usize,
        ef: usize,
        threads: usize,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        self.search_many_filtered(queries, k, ef, threads, None, control)
    }

    /// Like [`search_many`](Self::search_many), but returns only rows that `filter` allows.
    ///
    /// # Errors
    ///
    /// As [`search_many`](Self::search_many).
    pub fn search_many_filtered(
        &self,
        queries: &[f32],
        k: usize,
        ef: usize,
        threads: usize,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        let queries = self.rows.similarity().prepare("search", self.rows.dim(), queries)?;
        self.graph.search_many(&self.rows.view(), &queries, SearchParams { k, ef, filter }, threads, control)
    }

    /// [Searches](Self::search_many_filtered) with this strategy, even if another one is faster, on the caller's
    /// thread. For the calibration of the planner.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    ///
    /// # Panics
    ///
    /// If there is a filter and the strategy is [`BatchCodeScan`](ForcedStrategy::BatchCodeScan).
    #[doc(hidden)]
    pub fn search_with_strategy(
        &self,
        strategy: ForcedStrategy,
        queries: &[f32],
        k: usize,
        ef: usize,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        let queries = self.rows.similarity().prepare("search", self.rows.dim(), queries)?;
        let view = self.rows.view();
        let plan = Plan::forced(strategy, &view, k, ef, filter);
        Ok(self.graph.search_with_plan(&view, &queries, &plan, filter, control)?)
    }
}
