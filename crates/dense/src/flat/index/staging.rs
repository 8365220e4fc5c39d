use super::{FlatIndex, Stored};
use crate::{Error, Put, RowIds, RowSet};

/// Changes in steps, between which others search: see [`Put`].
impl FlatIndex {
    /// Whether these vectors `[n * dim]` may be put in under these ids: what [`stage`](Self::stage) refuses, and what
    /// ids given twice in all of its slices are.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); [`Error::UnknownId`] to update an id that is not there.
    pub fn check_rows<S: AsRef<str>>(&self, put: Put, ids: &[S], vectors: &[f32]) -> Result<(), Error> {
        on!(&self.stored, rows => rows.check(put, ids, vectors))
    }

    /// [`add`](Self::add) of rows that no search finds until they are [published](Self::publish), in the place of
    /// those with their ids if `put` is not [`Put::Add`]. All of them or, on an error, none.
    ///
    /// # Errors
    ///
    /// As [`check_rows`](Self::check_rows).
    pub fn stage(&mut self, put: Put, ids: Vec<String>, vectors: &[f32]) -> Result<(), Error> {
        on!(&mut self.stored, rows => rows.open_stage(put));
        let added = self.add(ids, vectors);
        on!(&mut self.stored, rows => rows.close_stage());
        added
    }

    /// Lets searches find what is staged, and deletes the rows in whose place it stands. Returns these rows, each
    /// with its successor.
    pub fn publish(&mut self) -> Vec<(u32, u32)> {
        on!(&mut self.stored, rows => rows.publish())
    }

    /// Deletes what is staged: its ids are free, its space comes back with [`compact`](Self::compact).
    pub fn take_back(&mut self) {
        on!(&mut self.stored, rows => rows.take_back());
    }

    /// What [`compact`](Self::compact) makes of the index, beside it.
    #[must_use]
    pub fn compacted(&self) -> Self {
        let stored = match &self.stored {
            Stored::F32(rows) => Stored::F32(rows.compacted()),
            Stored::F16(rows) => Stored::F16(rows.compacted()),
            Stored::Int8Filtered(rows, shadow) => {
                Stored::Int8Filtered(rows.compacted(), shadow.compacted(|ord| rows.view().is_live(ord)))
            }
        };
        Self { stored }
    }

    /// The rows that can be found.
    #[must_use]
    pub fn live(&self) -> RowSet {
        on!(&self.stored, rows => rows.live())
    }

    /// The ids of all rows as they are now.
    #[must_use]
    pub fn row_ids(&self) -> RowIds {
        self.ids().snapshot()
    }

    /// How many rows a search scores; with a filter, one that allows so many.
    #[must_use]
    pub fn rows_scored(&self, allowed: Option<usize>) -> usize {
        allowed.unwrap_or(self.len())
    }
}
