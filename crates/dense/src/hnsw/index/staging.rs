use control::Control;

use super::HnswIndex;
use crate::hnsw::planner::Plan;
use crate::{Error, Longest, Put, RowIds, RowSet};

/// Changes in steps, between which others search: see [`Put`].
impl HnswIndex {
    /// Whether these vectors `[n * dim]` may be put in under these ids: what [`stage`](Self::stage) refuses, and what
    /// ids given twice in all of its slices are.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); [`Error::UnknownId`] to update an id that is not there.
    pub fn check_rows<S: AsRef<str>>(&self, put: Put, ids: &[S], vectors: &[f32]) -> Result<(), Error> {
        self.rows.check(put, ids, vectors)
    }

    /// Vectors as long as the longest of `vectors` `[n * dim]` are to be added. Where inner products are
    /// [augmented](crate::InnerProduct::AugmentedL2), slices of a batch are linked as the whole batch would be if this
    /// is called before the first.
    pub fn expect(&mut self, longest: Longest) {
        if let Some(lengths) = &mut self.lengths {
            lengths.expect(longest.0);
        }
    }

    /// [`add`](Self::add) of rows that no search finds until they are [published](Self::publish), in the place of
    /// those with their ids if `put` is not [`Put::Add`]. All of them or, on an error, none.
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

    /// Lets searches find what is staged, and deletes the rows in whose place it stands. Returns these rows, each
    /// with its successor.
    pub fn publish(&mut self) -> Vec<(u32, u32)> {
        self.rows.publish()
    }

    /// Deletes what is staged: its ids are free, its space comes back with [`compact`](Self::compact).
    pub fn take_back(&mut self) {
        self.rows.take_back();
    }

    /// What [`compact`](Self::compact) makes of the index, beside it. Counts each row as one unit done.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] or [`Error::Cancelled`].
    pub fn compacted(&self, threads: usize, control: &Control) -> Result<Self, Error> {
        let mut index = Self::of_rows(self.rows.compacted(), self.options);
        index.link_from(0, threads, control)?;
        Ok(index)
    }

    /// The rows that can be found.
    #[must_use]
    pub fn live(&self) -> RowSet {
        self.rows.live()
    }

    /// The ids of all rows as they are now.
    #[must_use]
    pub fn row_ids(&self) -> RowIds {
        self.rows.ids().snapshot()
    }

    /// About how many rows a search scores; with a filter, one that allows so many.
    #[must_use]
    pub fn rows_scored(&self, k: usize, ef: usize, allowed: Option<usize>) -> usize {
        Plan::rows_scored(k, ef, allowed, self.len())
    }
}
