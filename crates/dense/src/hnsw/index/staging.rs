//! Adds a large batch to an [`HnswIndex`] in slices, so that searches can run between two slices.

use control::Control;

use super::HnswIndex;
use crate::{Error, Longest, Put, RowIds, RowSet};

/// Staging: a batch is staged slice by slice, invisible to searches, and then published as a whole. See [`Put`] for an
/// example.
impl HnswIndex {
    /// Checks a whole batch, vectors `[n * dim]` and their ids, before it is staged in slices. Reports ids and vectors
    /// that [`stage`](Self::stage) would reject, and ids that appear twice in the batch, even if in different slices.
    ///
    /// # Errors
    ///
    /// Those of [`add`](Self::add) about ids, vectors and the number of rows; also [`Error::UnknownId`] for
    /// [`Put::Update`] with an id that is not in the index.
    pub fn check_rows<S: AsRef<str>>(&self, put: Put, ids: &[S], vectors: &[f32]) -> Result<(), Error> {
        self.rows.check(put, ids, vectors)
    }

    /// Announces the length of the longest vector in a batch, before the first slice of the batch is staged. A graph of
    /// [augmented vectors](crate::InnerProduct::AugmentedL2) depends on the maximum length. With this call, the graph
    /// becomes the same as if the whole batch were added in one call (on one thread). For other graphs, the call has no
    /// effect.
    pub fn announce_longest(&mut self, longest: Longest) {
        self.graph.reserve_max(longest.squared_length);
    }

    /// [Adds](Self::add) a slice of rows that no search finds until all staged rows are [published](Self::publish). If
    /// `put` is not [`Put::Add`], publishing also deletes the earlier rows with the same ids. Adds all rows of the
    /// slice or, on an error, none.
    ///
    /// # Errors
    ///
    /// As [`check_rows`](Self::check_rows); also [`Error::Threads`] and [`Error::Canceled`].
    pub fn stage(
        &mut self,
        put: Put,
        ids: Vec<String>,
        vectors: &[f32],
        threads: usize,
        control: &Control,
    ) -> Result<(), Error> {
        self.rows.open_stage(put);
        let added = self.add(ids, vectors, threads, control);
        self.rows.close_stage();
        added
    }

    /// Makes the staged rows visible to searches and deletes the rows that they replace. Returns a pair of ords for
    /// each replaced row: its own and that of its replacement.
    pub fn publish(&mut self) -> Vec<(u32, u32)> {
        self.rows.publish()
    }

    /// Deletes the staged rows. Their ids may be added again; [`compact`](Self::compact) frees their space.
    pub fn discard_staged(&mut self) {
        self.rows.discard_staged();
    }

    /// Returns a compacted copy of the index (see [`compact`](Self::compact)), and leaves the index as it is. Counts
    /// each live row as one unit of progress.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] or [`Error::Canceled`].
    pub fn compacted(&self, threads: usize, control: &Control) -> Result<Self, Error> {
        let mut index = Self::from_rows(self.rows.compacted(), *self.options());
        index.insert_from(0, threads, control)?;
        Ok(index)
    }

    /// Returns the set of rows that searches can find.
    #[must_use]
    pub fn live(&self) -> RowSet {
        self.rows.live()
    }

    /// Returns a snapshot of the ids of all rows.
    #[must_use]
    pub fn row_ids(&self) -> RowIds {
        self.rows.ids().snapshot()
    }

    /// Estimates the work of a search as an equivalent number of vectors to score. `allowed` is the number of rows that
    /// the filter of the search allows; `None` without a filter.
    #[must_use]
    pub fn rows_scored(&self, k: usize, ef: usize, allowed: Option<usize>) -> usize {
        self.graph.planner().rows_scored(k, ef, allowed, self.len())
    }
}
