use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;
use storage::File;

use super::checks::{check_batch, check_dim};
use super::columns::column::Column;
use super::element::Element;
use super::ids::Ids;
use super::rows_view::RowsView;
use crate::phrases::has_phrases;
use crate::{Error, RowSet, Similarity};

/// Vectors with their ids. Some rows may be deleted, and the last ones may be staged: stored, but not yet found by
/// searches.
#[derive(Debug)]
pub(crate) struct Rows<T = f32> {
    pub(super) dim: usize,
    pub(super) similarity: Similarity,
    /// The caller's own metadata.
    pub(super) metadata: Value,
    pub(super) ids: Ids,
    pub(super) vectors: Column<T>,
    /// The tombstones: the set of deleted rows.
    pub(super) deleted: RowSet,
    /// The file that the rows were opened from.
    pub(super) file: Option<Arc<File>>,
}

impl<T: Element> Rows<T> {
    pub fn new(dim: usize, similarity: Similarity, metadata: Value) -> Result<Self, Error> {
        check_dim(dim)?;
        let ids = Ids::new(has_phrases(&metadata));
        let (vectors, deleted) = (Column::new(), RowSet::new());
        Ok(Self { dim, similarity, metadata, ids, vectors, deleted, file: None })
    }

    /// Returns the number of rows, including deleted and staged ones.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns the set of rows that searches can find.
    pub fn live(&self) -> RowSet {
        RowSet::full(self.ids.published_len()).difference(&self.deleted)
    }

    /// Returns the number of rows that searches can find.
    pub fn live_len(&self) -> usize {
        self.ids.published_len() - self.deleted.len()
    }

    pub fn dim(&self) -> usize {
        self.dim
    }

    pub fn similarity(&self) -> Similarity {
        self.similarity
    }

    pub fn metadata(&self) -> &Value {
        &self.metadata
    }

    pub fn ids(&self) -> &Ids {
        &self.ids
    }

    /// Returns a row's vector as it is stored.
    pub fn stored(&self, ord: u32) -> &[T] {
        self.vectors.slice(ord as usize * self.dim, self.dim)
    }

    /// Returns a row's vector in single precision.
    pub fn vector(&self, ord: u32) -> Cow<'_, [f32]> {
        T::decode(self.stored(ord))
    }

    /// Returns the view of the rows that a search reads.
    pub fn view(&self) -> RowsView<'_, T> {
        let (mapped, appended) = self.vectors.parts();
        let Self { dim, similarity, ref deleted, .. } = *self;
        // While a slice is being staged, its rows count as published, so that they are inserted into the graph.
        let published = if self.ids.is_staging() { self.len() } else { self.ids.published_len() };
        RowsView { similarity, dim, mapped, appended, deleted, num_deleted: deleted.len(), published }
    }

    /// Appends rows and returns their ords. On an error, appends none.
    pub fn append<S: AsRef<str>>(&mut self, ids: &[S], vectors: &[f32]) -> Result<Range<u32>, Error> {
        let before = self.len();
        let vectors = T::encode(self.dim, check_batch(self.dim, self.similarity, before, ids, vectors)?)?;
        self.ids.extend(ids)?;
        self.vectors.extend(&vectors);
        Ok(before as u32..self.len() as u32)
    }

    /// Keeps the first `num_rows` rows and removes the others, none of which may be deleted or in a file.
    pub fn truncate(&mut self, num_rows: usize) {
        self.ids.truncate(num_rows);
        self.vectors.truncate(num_rows * self.dim);
    }

    /// Deletes the rows with these ids. If one of the ids is not in the index, deletes none.
    pub fn delete<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<(), Error> {
        let find = |(row, id): (usize, &S)| {
            let id = id.as_ref();
            let unknown = || Error::UnknownId { operation: "delete", id: id.to_owned(), row };
            self.ids.ord(id).ok_or_else(unknown)
        };
        let ords = ids.iter().enumerate().map(find).collect::<Result<Vec<u32>, Error>>()?;
        ords.into_iter().for_each(|ord| self.mark_deleted(ord));
        Ok(())
    }

    /// Gives a row a tombstone, if it has none, and makes its id available again.
    pub fn mark_deleted(&mut self, ord: u32) {
        if self.deleted.insert(ord) {
            self.ids.release(ord);
        }
    }

    /// Returns a copy without the deleted and staged rows. The other rows keep their order.
    pub fn compacted(&self) -> Self {
        let Self { dim, similarity, .. } = *self;
        let metadata = self.metadata.clone();
        let ids = Ids::new(has_phrases(&metadata));
        let (vectors, deleted) = (Column::new(), RowSet::new());
        let mut rows = Self { dim, similarity, metadata, ids, vectors, deleted, file: None };
        for ord in self.live().iter() {
            let added = rows.ids.extend(&[self.ids.id(ord)]);
            added.expect("the ids of live rows are not empty, and distinct");
            rows.vectors.extend(self.stored(ord));
        }
        rows
    }

    /// Converts the rows to another number type, in memory.
    pub fn converted<U: Element>(self, convert: impl Fn(&[T]) -> Vec<U>) -> Rows<U> {
        let mut vectors = Column::new();
        (0..self.len() as u32).for_each(|ord| vectors.extend(&convert(self.stored(ord))));
        let Self { dim, similarity, metadata, ids, deleted, file, .. } = self;
        Rows { dim, similarity, metadata, ids, vectors, deleted, file }
    }

    /// Returns the file that the rows were opened from.
    pub fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let file = self.file.as_ref().map_or(0, |file| file.memory_bytes());
        self.ids.memory_bytes() + self.vectors.memory_bytes() + self.deleted.memory_bytes() + file
    }
}
