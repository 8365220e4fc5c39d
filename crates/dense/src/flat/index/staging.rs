//! Adds a large batch to a [`FlatIndex`] in slices, so that searches can run between two slices.

use super::{FlatIndex, Stored};
use crate::{Error, Put, RowIds, RowSet};

/// Staging: a batch is staged slice by slice, invisible to searches, and then published as a whole. See [`Put`] for an
/// example.
impl FlatIndex {
    /// Checks a whole batch, vectors `[n * dim]` and their ids, before it is staged in slices. Reports everything that
    /// [`stage`](Self::stage) would reject, and ids that appear twice in the batch, even if in different slices.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); [`Error::UnknownId`] if `put` is [`Put::Update`] and an id is not in the index.
    pub fn check_rows<S: AsRef<str>>(&self, put: Put, ids: &[S], vectors: &[f32]) -> Result<(), Error> {
        for_rows!(&self.stored, rows => rows.check(put, ids, vectors))
    }

    /// [Adds](Self::add) a slice of rows that no search finds until all staged rows are [published](Self::publish). If
    /// `put` is not [`Put::Add`], publishing also deletes the earlier rows with the same ids. Adds all rows of the
    /// slice or, on an error, none.
    ///
    /// # Errors
    ///
    /// As [`check_rows`](Self::check_rows).
    pub fn stage(&mut self, put: Put, ids: Vec<String>, vectors: &[f32]) -> Result<(), Error> {
        for_rows!(&mut self.stored, rows => rows.open_stage(put));
        let added = self.add(ids, vectors);
        for_rows!(&mut self.stored, rows => rows.close_stage());
        added
    }

    /// Makes the staged rows visible to searches and deletes the rows that they replace. Returns a pair of ords for
    /// each replaced row: its own and that of its replacement.
    pub fn publish(&mut self) -> Vec<(u32, u32)> {
        for_rows!(&mut self.stored, rows => rows.publish())
    }

    /// Deletes the staged rows. Their ids may be added again; [`compact`](Self::compact) frees their space.
    pub fn discard_staged(&mut self) {
        for_rows!(&mut self.stored, rows => rows.discard_staged());
    }

    /// Returns a compacted copy of the index (see [`compact`](Self::compact)), and leaves the index as it is.
    #[must_use]
    pub fn compacted(&self) -> Self {
        let stored = match &self.stored {
            Stored::F32(rows) => Stored::F32(rows.compacted()),
            Stored::F16(rows) => Stored::F16(rows.compacted()),
            Stored::Int8Rescored(rows, quantized) => {
                let quantized = quantized.compacted(|ord| rows.view().is_live(ord));
                Stored::Int8Rescored(rows.compacted(), quantized)
            }
        };
        Self { stored }
    }

    /// Returns the set of rows that searches can find.
    #[must_use]
    pub fn live(&self) -> RowSet {
        for_rows!(&self.stored, rows => rows.live())
    }

    /// Returns a snapshot of the ids of all rows.
    #[must_use]
    pub fn row_ids(&self) -> RowIds {
        self.ids().snapshot()
    }

    /// Returns the maximum number of rows that a search scores. `allowed` is the number of rows that its filter allows;
    /// `None` without a filter.
    #[must_use]
    pub fn rows_scored(&self, allowed: Option<usize>) -> usize {
        allowed.unwrap_or(self.len())
    }
}
