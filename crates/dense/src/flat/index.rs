//! The exact index, [`FlatIndex`]: adding, deleting, searching and saving rows.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use control::Control;
use ranking::Hit;
use serde_json::Value;
use storage::{File, OpenOptions, Writer};

use super::{KIND, Storage};
use crate::exact::scan::{scan, scan_many};
use crate::filter::Filter;
use crate::quantized::{QuantizedRows, RowsWithCodes};
use crate::store::ids::Ids;
use crate::store::rows::Rows;
use crate::{Error, Similarity, quantized};

/// Vectors with ids, searched exactly.
///
/// Rows get ords in the order in which they are added, from 0. Hits are sorted best first; equal scores are sorted by
/// ord. A query has the same hits and scores, bit for bit, whether it is searched alone or with others, and on any
/// number of threads. Deleted rows are never hits; the other rows keep their ords until [`compact`](Self::compact).
#[derive(Debug)]
pub struct FlatIndex {
    stored: Stored,
}

/// The rows, with one variant per [`Storage`]. `Int8Rescored` also has an int8 copy of the rows. A search uses the copy
/// to rule out most rows by a proven bound on their scores, and computes the f32 scores of only the others; the type
/// `RowsWithCodes` combines the rows and the copy for this.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one per index")]
enum Stored {
    F32(Rows),
    F16(Rows<u16>),
    Int8Rescored(Rows, QuantizedRows),
}

/// Evaluates `$work` with `$rows` bound to the rows of any variant of `$stored`.
macro_rules! for_rows {
    ($stored:expr, $rows:ident => $work:expr) => {
        match $stored {
            Stored::F32($rows) | Stored::Int8Rescored($rows, _) => $work,
            Stored::F16($rows) => $work,
        }
    };
}

// Declared after the macro `for_rows`, which it uses.
mod staging;

impl FlatIndex {
    /// Creates an empty index of vectors of dimension `dim`, stored as [`Storage::F32`]. `metadata` is any JSON value
    /// of the caller; it is saved with the index.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] for a dimension of 0 or above 2²⁰.
    pub fn new(dim: usize, similarity: Similarity, metadata: Value) -> Result<Self, Error> {
        Self::with_storage(dim, similarity, Storage::F32, metadata)
    }

    /// Creates an index like [`new`](Self::new), with a choice of storage.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`Error::Option`] also for a dimension above 65,536 with [`Storage::Int8Rescored`].
    pub fn with_storage(
        dim: usize,
        similarity: Similarity,
        storage: Storage,
        metadata: Value,
    ) -> Result<Self, Error> {
        let stored = match storage {
            Storage::F32 => Stored::F32(Rows::new(dim, similarity, metadata)?),
            Storage::F16 => Stored::F16(Rows::new(dim, similarity, metadata)?),
            Storage::Int8Rescored => {
                Stored::Int8Rescored(Rows::new(dim, similarity, metadata)?, QuantizedRows::new(dim)?)
            }
        };
        Ok(Self { stored })
    }

    /// Adds the vectors `[n * dim]`, row-major, under `n` ids. Adds all of them or, on an error, none.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`], [`Error::Count`], [`Error::EmptyId`], [`Error::DuplicateId`] (in the index or earlier in
    /// `ids`), [`Error::NotFinite`], [`Error::Length`], [`Error::Zero`] (cosine only), [`Error::Range`]
    /// ([`Storage::F16`] only), [`Error::Full`], or [`Error::Staged`] while rows are staged.
    pub fn add(&mut self, ids: Vec<String>, vectors: &[f32]) -> Result<(), Error> {
        let added = for_rows!(&mut self.stored, rows => rows.append(&ids, vectors)?);
        if let Stored::Int8Rescored(rows, quantized) = &mut self.stored {
            quantized.extend(rows.view().rows(added.start as usize, added.len()));
        }
        Ok(())
    }

    /// Deletes the rows with these ids. The ids may be added again afterward. Deletes all of the rows or, on an error,
    /// none.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`] for an id that is not in the index.
    pub fn delete<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<(), Error> {
        for_rows!(&mut self.stored, rows => rows.delete(ids))
    }

    /// Frees the space of deleted rows. The others keep their order, but the ord of a row that was added after a
    /// deleted one changes. An index that was opened from a file is copied to memory.
    pub fn compact(&mut self) {
        *self = self.compacted();
    }

    /// Returns the `k` best rows for `query` `[dim]`, best first; all rows if there are fewer than `k`.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`], [`Error::NotFinite`], [`Error::Length`], [`Error::Zero`] or [`Error::Canceled`].
    pub fn search(&self, query: &[f32], k: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        self.search_filtered(query, k, None, control)
    }

    /// Like [`search`](Self::search), but returns the `k` best of the rows that `filter` allows.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub fn search_filtered(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        let query = self.similarity().prepare_query(self.dim(), query)?;
        match &self.stored {
            Stored::F32(rows) => Ok(scan(&rows.view(), &query, k, filter, control)?),
            Stored::F16(rows) => Ok(scan(&rows.view(), &query, k, filter, control)?),
            Stored::Int8Rescored(rows, quantized) => {
                let rows = RowsWithCodes { view: rows.view(), quantized };
                quantized::search(rows, &query, k, filter, control)
            }
        }
    }

    /// [Searches](Self::search) with each of the queries `[q * dim]`, row-major, on `threads` threads (0: one per CPU).
    /// Counts each query as one unit of progress.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search); [`Error::Threads`].
    pub fn search_many(
        &self,
        queries: &[f32],
        k: usize,
        threads: usize,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        self.search_many_filtered(queries, k, threads, None, control)
    }

    /// Like [`search_many`](Self::search_many), but returns the best of the rows that `filter` allows.
    ///
    /// # Errors
    ///
    /// As [`search_many`](Self::search_many).
    pub fn search_many_filtered(
        &self,
        queries: &[f32],
        k: usize,
        threads: usize,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        let queries = self.similarity().prepare("search", self.dim(), queries)?;
        match &self.stored {
            Stored::F32(rows) => scan_many(&rows.view(), &queries, k, threads, filter, control),
            Stored::F16(rows) => scan_many(&rows.view(), &queries, k, threads, filter, control),
            Stored::Int8Rescored(rows, quantized) => {
                let rows = RowsWithCodes { view: rows.view(), quantized };
                quantized::search_many(rows, &queries, k, threads, filter, control)
            }
        }
    }

    /// Returns the id of a row, deleted or not.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn id(&self, ord: u32) -> &str {
        self.ids().id(ord)
    }

    /// Calls `visit` with the [id](Self::id) of each hit, in order. This is faster than calling `id` for each.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn for_each_id(&self, hits: &[Hit], visit: impl FnMut(&str)) {
        self.ids().for_each_id(hits, visit);
    }

    /// Returns the ord of the row with this id; `None` if it was deleted or never added.
    #[must_use]
    pub fn ord(&self, id: &str) -> Option<u32> {
        self.ids().ord(id)
    }

    /// Returns the vector of a row, deleted or not, as it is stored: scaled to length 1 for cosine, rounded in
    /// [`Storage::F16`].
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn vector(&self, ord: u32) -> Cow<'_, [f32]> {
        for_rows!(&self.stored, rows => rows.vector(ord))
    }

    /// Returns the number of rows, including deleted ones: ords are below this.
    #[must_use]
    pub fn len(&self) -> usize {
        for_rows!(&self.stored, rows => rows.len())
    }

    /// Returns whether there are no rows, not even deleted ones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of rows that searches can find.
    #[must_use]
    pub fn live_len(&self) -> usize {
        for_rows!(&self.stored, rows => rows.live_len())
    }

    /// Returns the dimension of the vectors.
    #[must_use]
    pub fn dim(&self) -> usize {
        for_rows!(&self.stored, rows => rows.dim())
    }

    /// Returns how scores are computed.
    #[must_use]
    pub fn similarity(&self) -> Similarity {
        for_rows!(&self.stored, rows => rows.similarity())
    }

    /// Returns how vectors are stored.
    #[must_use]
    pub fn storage(&self) -> Storage {
        match self.stored {
            Stored::F32(_) => Storage::F32,
            Stored::F16(_) => Storage::F16,
            Stored::Int8Rescored(..) => Storage::Int8Rescored,
        }
    }

    /// Returns the caller's metadata, as given when the index was created.
    #[must_use]
    pub fn metadata(&self) -> &Value {
        for_rows!(&self.stored, rows => rows.metadata())
    }

    /// Returns the number of bytes that the index holds in memory, not counting those that are mapped from a file.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let quantized = match &self.stored {
            Stored::Int8Rescored(_, quantized) => quantized.memory_bytes(),
            Stored::F32(_) | Stored::F16(_) => 0,
        };
        for_rows!(&self.stored, rows => rows.memory_bytes()) + quantized
    }

    /// Saves the index to a file. An existing file is replaced completely or, on an error, left unchanged.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let mut writer = Writer::create(path, KIND)?;
        for_rows!(&self.stored, rows => rows.write(&mut writer)?);
        if let Stored::Int8Rescored(_, quantized) = &self.stored {
            quantized.write(&mut writer)?;
        }
        let metadata = for_rows!(&self.stored, rows => rows.file_metadata());
        Ok(writer.finish(self.storage().add_to_metadata(metadata))?)
    }

    /// Opens a saved index. Vectors and ids stay in the file. Rows that are added later are in memory, and are lost
    /// unless the index is saved again.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file cannot be read, is corrupt, or belongs to another kind of index.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with(path, OpenOptions::default())
    }

    /// Opens a saved index, mapped or read into memory. With the option `verify`, also runs [`verify`](Self::verify).
    ///
    /// # Errors
    ///
    /// Same as [`open`](Self::open).
    pub fn open_with(path: &Path, options: OpenOptions) -> Result<Self, Error> {
        let index = Self::from_file(&Arc::new(File::open_with(path, KIND, options)?))?;
        if options.verify {
            index.verify()?;
        }
        Ok(index)
    }

    fn from_file(file: &Arc<File>) -> Result<Self, Error> {
        let stored = match Storage::of_file(file)? {
            Storage::F32 => Stored::F32(Rows::open(file)?),
            Storage::F16 => Stored::F16(Rows::open(file)?),
            Storage::Int8Rescored => {
                let rows = Rows::open(file)?;
                let quantized = QuantizedRows::open(file, rows.dim(), rows.len())?;
                Stored::Int8Rescored(rows, quantized)
            }
        };
        Ok(Self { stored })
    }

    /// Reads the whole file of an opened index, compares it with its checksums, and checks that its contents are valid.
    /// [`open`](Self::open) makes only the checks that take milliseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file is corrupt.
    pub fn verify(&self) -> Result<(), Error> {
        for_rows!(&self.stored, rows => rows.verify())?;
        match &self.stored {
            Stored::Int8Rescored(rows, quantized) => quantized.verify(rows),
            Stored::F32(_) | Stored::F16(_) => Ok(()),
        }
    }

    /// Returns the ords of a passage's rows in an index of [phrases](crate::PHRASES_KEY), without deleted ones, in the
    /// order in which they were added.
    #[must_use]
    pub fn rows_of_passage(&self, passage: &str) -> Vec<u32> {
        self.ids().rows_of_passage(passage)
    }

    /// Returns whether the hash table in which [`ord`](Self::ord) looks up ids has been built. An opened index builds
    /// it in the first call that needs it.
    #[must_use]
    pub fn has_id_table(&self) -> bool {
        self.ids().are_indexed()
    }

    /// Turns the index into its rows, in single precision.
    pub(crate) fn into_rows(self) -> Rows {
        match self.stored {
            Stored::F32(rows) | Stored::Int8Rescored(rows, _) => rows,
            Stored::F16(rows) => rows.widened(),
        }
    }

    fn ids(&self) -> &Ids {
        for_rows!(&self.stored, rows => rows.ids())
    }
}
