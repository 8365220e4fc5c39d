use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;
use storage::File;

use super::checks::{check_batch, check_dim};
use crate::RowSet;
use crate::phrases::has_phrases;
use crate::store::columns::column::Column;
use crate::store::element::Element;
use crate::store::ids::Ids;
use crate::store::rows_view::View;
use crate::{Error, Similarity};

/// What every index has: vectors with their ids, some of them deleted.
#[derive(Debug)]
pub(crate) struct Rows<T = f32> {
    pub(super) dim: usize,
    pub(super) similarity: Similarity,
    pub(super) metadata: Value,
    pub(super) ids: Ids,
    pub(super) vectors: Column<T>,
    pub(super) deleted: RowSet,
    /// Where they were opened.
    pub(super) file: Option<Arc<File>>,
}

impl<T: Element> Rows<T> {
    pub fn new(dim: usize, similarity: Similarity, metadata: Value) -> Result<Self, Error> {
        check_dim(dim)?;
        let ids = Ids::new(has_phrases(&metadata));
        let (vectors, deleted) = (Column::new(), RowSet::new());
        Ok(Self { dim, similarity, metadata, ids, vectors, deleted, file: None })
    }

    /// The rows that can be found.
    pub fn live(&self) -> RowSet {
        RowSet::full(self.ids().shown()).difference(self.deleted())
    }

    /// Rows, deleted and staged ones too.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Rows that can be found.
    pub fn live_len(&self) -> usize {
        self.ids.shown() - self.deleted.len()
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

    pub fn ids_mut(&mut self) -> &mut Ids {
        &mut self.ids
    }

    pub fn deleted(&self) -> &RowSet {
        &self.deleted
    }

    /// The numbers of a row, as they are stored.
    pub fn stored(&self, ord: u32) -> &[T] {
        self.vectors.slice(ord as usize * self.dim, self.dim)
    }

    /// The vector of a row.
    pub fn vector(&self, ord: u32) -> Cow<'_, [f32]> {
        T::decode(self.stored(ord))
    }

    /// What a search reads.
    pub fn view(&self) -> View<'_, T> {
        let (base, tail) = self.vectors.parts();
        let Self { dim, similarity, ref deleted, .. } = *self;
        // While rows are being staged they are linked like others.
        let shown = if self.ids.staging() { self.len() } else { self.ids.shown() };
        View::new(similarity, dim, (base, tail), deleted, shown)
    }

    /// Appends rows and returns their ords; on an error, none.
    pub fn append<S: AsRef<str>>(&mut self, ids: &[S], vectors: &[f32]) -> Result<Range<u32>, Error> {
        let before = self.len();
        let vectors = T::encode(self.dim, check_batch(self.dim, self.similarity, before, ids, vectors)?)?;
        self.ids.extend(ids)?;
        self.vectors.extend(&vectors);
        Ok(before as u32..self.len() as u32)
    }

    /// Takes back the rows appended from row `rows` on, none of which may be deleted.
    pub fn truncate(&mut self, rows: usize) {
        self.ids.truncate(rows);
        self.vectors.truncate(rows * self.dim);
    }

    /// Deletes rows by their ids; if one is not there, none.
    pub fn delete<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<(), Error> {
        let find = |(row, id): (usize, &S)| {
            let id = id.as_ref();
            let unknown = || Error::UnknownId { operation: "delete", id: id.to_owned(), row };
            self.ids.ord(id).ok_or_else(unknown)
        };
        let ords = ids.iter().enumerate().map(find).collect::<Result<Vec<u32>, Error>>()?;
        ords.into_iter().for_each(|ord| self.bury(ord));
        Ok(())
    }

    /// Deletes a row, which may be deleted already.
    pub fn bury(&mut self, ord: u32) {
        if self.deleted.insert(ord) {
            self.ids.release(ord);
        }
    }

    /// A copy without the deleted and staged rows; the rest keep their order.
    pub fn compacted(&self) -> Self {
        let Self { dim, similarity, .. } = *self;
        let metadata = self.metadata.clone();
        let ids = Ids::new(has_phrases(&metadata));
        let (vectors, deleted) = (Column::new(), RowSet::new());
        let mut rows = Self { dim, similarity, metadata, ids, vectors, deleted, file: None };
        for ord in self.live().iter() {
            let added = rows.ids.extend(&[self.ids.id(ord)]);
            added.expect("the ids of an index are not empty, and distinct where not deleted");
            rows.vectors.extend(self.stored(ord));
        }
        rows
    }

    /// The same rows with other numbers, in memory.
    pub fn converted<U: Element>(self, convert: impl Fn(&[T]) -> Vec<U>) -> Rows<U> {
        let mut vectors = Column::new();
        (0..self.len() as u32).for_each(|ord| vectors.extend(&convert(self.stored(ord))));
        let Self { dim, similarity, metadata, ids, deleted, file, .. } = self;
        Rows { dim, similarity, metadata, ids, vectors, deleted, file }
    }

    /// The file in which they were opened.
    pub fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let file = self.file.as_ref().map_or(0, |file| file.memory_bytes());
        self.ids.memory_bytes() + self.vectors.memory_bytes() + self.deleted.memory_bytes() + file
    }
}
