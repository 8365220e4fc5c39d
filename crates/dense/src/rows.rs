use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};
use storage::{File, Writer};

use crate::column::Column;
use crate::element::Element;
use crate::ids::Ids;
use crate::phrases::has_phrases;
use crate::row_set::RowSet;
use crate::view::View;
use crate::{Error, Similarity};

/// The most rows of an index: ords are 32-bit, and the last is no row's.
pub(crate) const MOST_ROWS: usize = u32::MAX as usize - 1;
/// The greatest dimension of an index.
const LARGEST_DIM: usize = 1 << 20;

/// What every index has: vectors with their ids, some of them deleted.
#[derive(Debug)]
pub(crate) struct Rows<T = f32> {
    dim: usize,
    similarity: Similarity,
    metadata: Value,
    ids: Ids,
    vectors: Column<T>,
    deleted: RowSet,
    /// Where they were opened.
    file: Option<Arc<File>>,
}

impl<T: Element> Rows<T> {
    pub fn new(dim: usize, similarity: Similarity, metadata: Value) -> Result<Self, Error> {
        check_dim(dim)?;
        let ids = Ids::new(has_phrases(&metadata));
        let (vectors, deleted) = (Column::new(), RowSet::new());
        Ok(Self { dim, similarity, metadata, ids, vectors, deleted, file: None })
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

    /// Reads the sections written by [`write`](Self::write); vectors and ids stay in the file.
    pub fn open(file: &Arc<File>) -> Result<Self, Error> {
        let table = file.metadata();
        let dim = number(file, "dim", LARGEST_DIM)?;
        check_dim(dim).map_err(|_| storage::Error::corrupt(file.path(), "a dimension of 1 or more", "0"))?;
        let rows = number(file, "rows", MOST_ROWS)?;
        let similarity = table["similarity"].as_str().and_then(Similarity::from_name);
        let similarity = similarity.ok_or_else(|| {
            let expected = "the similarity dot, cosine or l2";
            storage::Error::corrupt(file.path(), expected, table["similarity"].to_string())
        })?;
        let vectors = Column::open(file, "vectors")?;
        if rows.checked_mul(dim) != Some(vectors.len()) {
            let expected = format!("{rows} vectors of dimension {dim}");
            let got = format!("{} values", vectors.len());
            return Err(storage::Error::corrupt(file.path(), expected, got).into());
        }
        let deleted = RowSet::from_words(file.section_as("deleted")?, rows).ok_or_else(|| {
            let expected = format!("deleted rows below {rows}");
            storage::Error::corrupt(file.path(), expected, "one beyond".to_owned())
        })?;
        let metadata = table["metadata"].clone();
        let ids = Ids::open(file, rows, &deleted, has_phrases(&metadata))?;
        let file = Some(Arc::clone(file));
        Ok(Self { dim, similarity, metadata, ids, vectors, deleted, file })
    }

    /// Reads what was left unread when the rows were opened, compares it with its checksums, and checks that ids are
    /// distinct and vectors such as are [prepared](Similarity::prepare).
    pub fn verify(&self) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        file.verify()?;
        self.ids.verify(file)?;
        let sound = |&ord: &u32| self.similarity.is_prepared(&self.vector(ord));
        match (0..self.len() as u32).find(|ord| !sound(ord)) {
            Some(row) => {
                let expected = "vectors of finite numbers, no longer than they may be".to_owned();
                Err(storage::Error::corrupt(file.path(), expected, format!("another at row {row}")).into())
            }
            None => Ok(()),
        }
    }

    /// The file in which they were opened.
    pub fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }

    /// Writes all sections; what is staged, as deleted.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.begin("vectors")?;
        self.vectors.write(writer)?;
        self.ids.write(writer)?;
        let mut deleted = Cow::Borrowed(&self.deleted);
        for ord in self.ids.shown()..self.len() {
            deleted.to_mut().insert(ord as u32);
        }
        Ok(writer.section("deleted", bytemuck::cast_slice(deleted.words()))?)
    }

    /// The table's metadata that [`open`](Self::open) reads.
    pub fn table(&self) -> Value {
        table(self.dim, self.len(), self.similarity, &self.metadata)
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let file = self.file.as_ref().map_or(0, |file| file.memory_bytes());
        self.ids.memory_bytes() + self.vectors.memory_bytes() + self.deleted.memory_bytes() + file
    }
}

/// The vectors of a batch, ready to be stored.
pub(crate) fn check_batch<'a, S>(
    dim: usize,
    similarity: Similarity,
    rows: usize,
    ids: &[S],
    vectors: &'a [f32],
) -> Result<Cow<'a, [f32]>, Error> {
    if !vectors.len().is_multiple_of(dim) {
        return Err(Error::Dimension { operation: "add", expected: dim, got: vectors.len() });
    }
    if vectors.len() / dim != ids.len() {
        return Err(Error::Count { operation: "add", expected: vectors.len() / dim, got: ids.len() });
    }
    check_room(rows, ids.len())?;
    similarity.prepare("add", dim, vectors)
}

/// Whether `more` rows find room beside `rows`.
pub(crate) fn check_room(rows: usize, more: usize) -> Result<(), Error> {
    if rows + more > MOST_ROWS {
        return Err(Error::Full { expected: MOST_ROWS, got: rows + more });
    }
    Ok(())
}

pub(crate) fn check_dim(dim: usize) -> Result<(), Error> {
    if (1..=LARGEST_DIM).contains(&dim) {
        return Ok(());
    }
    Err(Error::Option { name: "dim", expected: format!("1 to {LARGEST_DIM}"), got: dim.to_string() })
}

/// What a file's table says of its rows.
pub(crate) fn table(dim: usize, rows: usize, similarity: Similarity, metadata: &Value) -> Value {
    json!({"dim": dim, "rows": rows, "similarity": similarity.name(), "metadata": metadata})
}

/// A whole number of a file's table.
pub(crate) fn number(file: &File, name: &str, most: usize) -> Result<usize, Error> {
    let got = &file.metadata()[name];
    let number =
        got.as_u64().and_then(|number| usize::try_from(number).ok()).filter(|&number| number <= most);
    let corrupt = || storage::Error::corrupt(file.path(), format!("{name} of 0 to {most}"), got.to_string());
    Ok(number.ok_or_else(corrupt)?)
}
