use super::{FlatIndex, Stored};
use crate::{Error, Put, RowIds, RowSet};

/// Batches that are staged in slices, between which others search: see [`Put`].
impl FlatIndex {
    /// Checks whether the vectors `[n * dim]` may be put under these ids: all that [`stage`](Self::stage) would reject, and
    /// ids that are in several slices.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); [`Error::UnknownId`] to update an id that is not in the index.
    pub fn check_rows<S: AsRef<str>>(&self, put: Put, ids: &[S], vectors: &[f32]) -> Result<(), Error> {
        for_rows!(&self.stored, rows => rows.check(put, ids, vectors))
    }

    /// [Adds](Self::add) rows that no search finds until they are [published](Self::publish). If `put` is not [`Put::Add`],
    /// they then replace the rows with their ids. Adds all rows or, on an error, none.
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

    /// Makes the staged rows visible to searches and deletes the rows that they replace. Returns pairs of a replaced row and
    /// its replacement.
    pub fn publish(&mut self) -> Vec<(u32, u32)> {
        for_rows!(&mut self.stored, rows => rows.publish())
    }

    /// Deletes the staged rows. Their ids are free again; [`compact`](Self::compact) frees their space.
    pub fn take_back(&mut self) {
        for_rows!(&mut self.stored, rows => rows.discard_staged());
    }

    /// Returns what [`compact`](Self::compact) would turn the index into, as a copy.
    #[must_use]
    pub fn compacted(&self) -> Self {
        let stored = match &self.stored {
            Stored::F32(rows) => Stored::F32(rows.compacted()),
            Stored::F16(rows) => Stored::F16(rows.compacted()),
            Stored::Int8Filtered(rows, quantized) => {
                let quantized = quantized.compacted(|ord| rows.view().is_live(ord));
                Stored::Int8Filtered(rows.compacted(), quantized)
            }
        };
        Self { stored }
    }

    /// The rows that searches can find.
    #[must_use]
    pub fn live(&self) -> RowSet {
        for_rows!(&self.stored, rows => rows.live())
    }

    /// A snapshot of the ids of all rows.
    #[must_use]
    pub fn row_ids(&self) -> RowIds {
        self.ids().snapshot()
    }

    /// How many rows a search scores. `allowed` is how many rows a filter allows, if there is one.
    #[must_use]
    pub fn rows_scored(&self, allowed: Option<usize>) -> usize {
        allowed.unwrap_or(self.len())
    }
}
