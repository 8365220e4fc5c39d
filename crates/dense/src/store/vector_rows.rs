use std::ops::Range;
use std::sync::Arc;

use storage::File;

use super::checks::check_dim;
use super::columns::column::Column;
use super::rows_view::RowsView;
use crate::{Error, RowSet, Similarity};

/// Vectors without ids, the rows of growing indexes. Any of the rows may be deleted.
#[derive(Debug)]
pub(crate) struct VectorRows {
    pub(super) dim: usize,
    pub(super) similarity: Similarity,
    pub(super) vectors: Column<f32>,
    pub(super) deleted: RowSet,
    /// The file that the rows were opened from.
    pub(super) file: Option<Arc<File>>,
}

impl VectorRows {
    pub fn new(dim: usize, similarity: Similarity) -> Result<Self, Error> {
        check_dim(dim)?;
        Ok(Self { dim, similarity, vectors: Column::new(), deleted: RowSet::new(), file: None })
    }

    /// Returns the number of rows, including deleted ones.
    pub fn len(&self) -> usize {
        self.vectors.len() / self.dim
    }

    /// Returns the number of rows that are not deleted.
    pub fn live_len(&self) -> usize {
        self.len() - self.deleted.len()
    }

    pub fn dim(&self) -> usize {
        self.dim
    }

    pub fn similarity(&self) -> Similarity {
        self.similarity
    }

    pub fn deleted(&self) -> &RowSet {
        &self.deleted
    }

    /// Returns a row's vector as it is stored.
    pub fn stored(&self, ord: u32) -> &[f32] {
        self.vectors.slice(ord as usize * self.dim, self.dim)
    }

    /// Returns the view of the rows that a search reads.
    pub fn view(&self) -> RowsView<'_> {
        let (mapped, appended) = self.vectors.parts();
        let Self { dim, similarity, ref deleted, .. } = *self;
        let (num_deleted, published) = (deleted.len(), self.len());
        RowsView { similarity, dim, mapped, appended, deleted, num_deleted, published }
    }

    /// Appends vectors `[n * dim]` that are already [prepared](Similarity::prepare), and returns their ords.
    pub fn append(&mut self, prepared: &[f32]) -> Range<u32> {
        let before = self.len();
        self.vectors.extend(prepared);
        before as u32..self.len() as u32
    }

    /// Reserves space for `additional` rows.
    pub fn reserve(&mut self, additional: usize) {
        self.vectors.reserve(additional * self.dim);
    }

    /// Replaces the set of deleted rows. Ords beyond the last row are ignored.
    pub fn set_deleted(&mut self, deleted: &RowSet) {
        self.deleted = deleted.intersection(&RowSet::full(self.len()));
    }

    /// Returns the file that the rows were opened from.
    pub fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }

    /// Returns the number of bytes of vectors that are mapped from a file.
    pub fn mapped_bytes(&self) -> usize {
        let is_mapped = self.file.as_ref().is_some_and(|file| file.memory_bytes() == 0);
        if is_mapped { size_of_val(self.vectors.parts().0) } else { 0 }
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let file = self.file.as_ref().map_or(0, |file| file.memory_bytes());
        self.vectors.memory_bytes() + self.deleted.memory_bytes() + file
    }
}
