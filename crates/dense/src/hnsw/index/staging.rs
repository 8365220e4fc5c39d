use control::Control;

use super::HnswIndex;
use crate::hnsw::planner::Plan;
use crate::{Error, Longest, Put, RowIds, RowSet};

/// Batches that are staged in slices, between which others search: see [`Put`].
impl HnswIndex {
    /// Checks whether the vectors `[n * dim]` may be put under these ids: all that [`stage`](Self::stage) would reject, and
    /// ids that are in several slices.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); [`Error::UnknownId`] to update an id that is not in the index.
    pub fn check_rows<S: AsRef<str>>(&self, put: Put, ids: &[S], vectors: &[f32]) -> Result<(), Error> {
        self.rows.check(put, ids, vectors)
    }

    /// Announces vectors up to the length of the longest in a batch. With
    /// [augmented vectors](crate::InnerProduct::AugmentedL2), slices of a batch are inserted as the whole batch would be if
    /// this is called before the first slice.
    pub fn expect(&mut self, longest: Longest) {
        if let Some(squared_lengths) = &mut self.squared_lengths {
            squared_lengths.reserve_max(longest.squared_length);
        }
    }

    /// [Adds](Self::add) rows that no search finds until they are [published](Self::publish). If `put` is not [`Put::Add`],
    /// they then replace the rows with their ids. Adds all rows or, on an error, none.
    ///
    /// # Errors
    ///
    /// As [`check_rows`](Self::check_rows); [`Error::Threads`]; [`Error::Cancelled`].
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

    /// Makes the staged rows visible to searches and deletes the rows that they replace. Returns pairs of a replaced row and
    /// its replacement.
    pub fn publish(&mut self) -> Vec<(u32, u32)> {
        self.rows.publish()
    }

    /// Deletes the staged rows. Their ids are free again; [`compact`](Self::compact) frees their space.
    pub fn take_back(&mut self) {
        self.rows.discard_staged();
    }

    /// Returns what [`compact`](Self::compact) would turn the index into, as a copy. Counts each row as one unit done.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] or [`Error::Cancelled`].
    pub fn compacted(&self, threads: usize, control: &Control) -> Result<Self, Error> {
        let mut index = Self::from_rows(self.rows.compacted(), self.options);
        index.insert_from(0, threads, control)?;
        Ok(index)
    }

    /// The rows that searches can find.
    #[must_use]
    pub fn live(&self) -> RowSet {
        self.rows.live()
    }

    /// A snapshot of the ids of all rows.
    #[must_use]
    pub fn row_ids(&self) -> RowIds {
        self.rows.ids().snapshot()
    }

    /// Estimates the work of a search, as a number of vectors to score. `allowed` is how many rows a filter allows, if there
    /// is one.
    #[must_use]
    pub fn rows_scored(&self, k: usize, ef: usize, allowed: Option<usize>) -> usize {
        Plan::rows_scored(k, ef, allowed, self.len())
    }
}
