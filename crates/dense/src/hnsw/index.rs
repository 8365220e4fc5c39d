//! The approximate index itself, [`HnswIndex`]: adding and deleting rows, and saving and opening the index. `search`
//! has the searches, and `staging` adds a large batch in slices.

mod search;
mod staging;

use std::path::Path;
use std::sync::Arc;

use control::Control;
use ranking::Hit;
use serde_json::Value;
use storage::{File, FileKind, OpenOptions, Writer};

use super::graph_index::{GraphIndex, RowShape};
use super::options::HnswOptions;
use super::search::candidate_queue::MAX_GRAPH_ROWS;
use crate::store::rows::Rows;
use crate::{Error, FlatIndex, Similarity};

/// Identifies files of HNSW indexes.
const KIND: FileKind = FileKind { magic: *b"PKHNSW\0\0", version: 4, name: "HNSW index" };

/// Vectors with ids, searched approximately through a graph (Malkov and Yashunin, 2018).
///
/// The scores of hits are exact and equal those of a [`FlatIndex`], but a few of the best rows may be missing. Call the
/// rows that may be hits *allowed*: the live rows or, with a filter, the live rows that it allows. A search is exact if
/// at most a few hundred rows are allowed, or if `k` is at least a quarter of their number: it then scores the vectors
/// of all allowed rows. If more rows are allowed, but too few for a beam search to be faster, a search scores the codes
/// of all allowed rows, and very few of the best rows are missing. A search always returns `k` hits if that many rows
/// are allowed: if a beam search finds fewer, all allowed rows are scored.
///
/// Hits are sorted best first; equal scores are sorted by ord. A query has the same hits whether it is searched alone
/// or with others, and on any number of threads, unless [`search_many`](Self::search_many) scans all codes for a large
/// batch. An index that is built on one thread depends only on its rows and options, not on the batches in which the
/// rows were added (except with [`InnerProduct::AugmentedL2`](crate::InnerProduct::AugmentedL2)).
///
/// Deleted rows are never hits. They stay in the graph, where searches still pass through them, until
/// [`compact`](Self::compact).
#[derive(Debug)]
pub struct HnswIndex {
    rows: Rows,
    graph: GraphIndex,
}

impl HnswIndex {
    /// Creates an empty index of vectors of dimension `dim`. `metadata` is any JSON value of the caller; it is saved
    /// with the index.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] for a dimension of 0 or above 2²⁰, or an option outside its range.
    pub fn new(
        dim: usize,
        similarity: Similarity,
        options: HnswOptions,
        metadata: Value,
    ) -> Result<Self, Error> {
        options.check()?;
        Ok(Self::from_rows(Rows::new(dim, similarity, metadata)?, options))
    }

    /// Builds a graph of the rows of a flat index, on `threads` threads (0: one per CPU). If the flat index was opened
    /// from a file, f32 vectors stay in that file; half-precision vectors are converted to f32 in memory. Deleted rows
    /// stay deleted. Counts each live row as one unit of progress.
    ///
    /// # Errors
    ///
    /// [`Error::Option`], [`Error::Full`], [`Error::Threads`] or [`Error::Canceled`].
    pub fn from_flat(
        flat: FlatIndex,
        options: HnswOptions,
        threads: usize,
        control: &Control,
    ) -> Result<Self, Error> {
        options.check()?;
        if flat.len() > MAX_GRAPH_ROWS {
            return Err(Error::Full { expected: MAX_GRAPH_ROWS, got: flat.len() });
        }
        let mut index = Self::from_rows(flat.into_rows(), options);
        index.insert_from(0, threads, control)?;
        Ok(index)
    }

    /// Adds the vectors `[n * dim]`, row-major, under `n` ids on `threads` threads (0: one per CPU). Adds all of them
    /// or, on an error or when canceled, none; the index is then what it was before. Counts each row as one unit of
    /// progress.
    ///
    /// # Errors
    ///
    /// As [`FlatIndex::add`]; also [`Error::Threads`] and [`Error::Canceled`].
    pub fn add(
        &mut self,
        ids: Vec<String>,
        vectors: &[f32],
        threads: usize,
        control: &Control,
    ) -> Result<(), Error> {
        control.check()?;
        let new = self.rows.append(&ids, vectors)?;
        if new.end as usize > MAX_GRAPH_ROWS {
            self.rows.truncate(new.start as usize);
            return Err(Error::Full { expected: MAX_GRAPH_ROWS, got: new.end as usize });
        }
        let inserted = self.insert_from(new.start, threads, control);
        if inserted.is_err() {
            self.rows.truncate(new.start as usize);
        }
        inserted
    }

    /// Deletes the rows with these ids. The ids may be added again afterward. Deletes all of the rows or, on an error,
    /// none.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`] for an id that is not in the index.
    pub fn delete<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<(), Error> {
        self.rows.delete(ids)
    }

    /// Frees the space of deleted rows by building a new graph of the live rows. The live rows keep their order, but
    /// the ord of a row that was added after a deleted one changes. Counts each live row as one unit of progress.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] or [`Error::Canceled`]; the index is then what it was before.
    pub fn compact(&mut self, threads: usize, control: &Control) -> Result<(), Error> {
        *self = self.compacted(threads, control)?;
        Ok(())
    }

    /// Returns the id of a row, deleted or not.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn id(&self, ord: u32) -> &str {
        self.rows.ids().id(ord)
    }

    /// Calls `visit` with the [id](Self::id) of each hit, in order. This is faster than calling `id` for each hit.
    ///
    /// # Panics
    ///
    /// If the index has no row with the ord of a hit.
    pub fn for_each_id(&self, hits: &[Hit], visit: impl FnMut(&str)) {
        self.rows.ids().for_each_id(hits, visit);
    }

    /// Returns the ord of the row with this id; `None` if it was deleted or never added.
    #[must_use]
    pub fn ord(&self, id: &str) -> Option<u32> {
        self.rows.ids().ord(id)
    }

    /// Returns the vector of a row, deleted or not, as it is stored: scaled to length 1 for cosine.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn vector(&self, ord: u32) -> &[f32] {
        self.rows.stored(ord)
    }

    /// Returns the number of rows, including deleted ones. All ords are below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are no rows, not even deleted ones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of rows that searches can find.
    #[must_use]
    pub fn live_len(&self) -> usize {
        self.rows.live_len()
    }

    /// Returns the dimension of the vectors.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.rows.dim()
    }

    /// Returns how scores are computed.
    #[must_use]
    pub fn similarity(&self) -> Similarity {
        self.rows.similarity()
    }

    /// Returns how the graph is built.
    #[must_use]
    pub fn options(&self) -> &HnswOptions {
        self.graph.options()
    }

    /// Returns the caller's metadata, as given when the index was created.
    #[must_use]
    pub fn metadata(&self) -> &Value {
        self.rows.metadata()
    }

    /// Returns the number of bytes that the index holds in memory, without the data that is mapped from a file.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.rows.memory_bytes() + self.graph.memory_bytes()
    }

    /// Saves the index to a file. An existing file is replaced completely or, on an error, left unchanged.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let mut writer = Writer::create(path, KIND)?;
        self.rows.write(&mut writer)?;
        self.graph.write(&mut writer)?;
        Ok(writer.finish(self.graph.add_to_metadata(self.rows.file_metadata()))?)
    }

    /// Opens a saved index. Vectors, ids, codes and the graph stay in the file. When rows are added, the codes and the
    /// graph are copied to memory. The added rows are in memory too, and are lost unless the index is saved again.
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
    /// As [`open`](Self::open).
    pub fn open_with(path: &Path, options: OpenOptions) -> Result<Self, Error> {
        let file = Arc::new(File::open_with(path, KIND, options)?);
        let rows = Rows::open(&file)?;
        let (dim, similarity, num_rows) = (rows.dim(), rows.similarity(), rows.len());
        let shape = RowShape { dim, similarity, num_rows, num_graph_rows: num_rows };
        let index = Self { rows, graph: GraphIndex::open(&file, shape)? };
        if options.verify {
            index.verify()?;
        }
        Ok(index)
    }

    /// Reads the whole file of an opened index, compares it with its checksums, and checks that its contents are valid.
    /// [`open`](Self::open) makes only the checks that take milliseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file is corrupt.
    pub fn verify(&self) -> Result<(), Error> {
        self.rows.verify()?;
        self.rows.file().map_or(Ok(()), |file| self.graph.verify(file))
    }

    /// Returns the ords of a passage's live rows in an index of [phrases](crate::PHRASES_KEY), in the order in which
    /// the rows were added.
    #[must_use]
    pub fn rows_of_passage(&self, passage: &str) -> Vec<u32> {
        self.rows.ids().rows_of_passage(passage)
    }

    /// Returns whether the hash table in which [`ord`](Self::ord) looks up ids has been built. An opened index builds
    /// it in the first call that needs it.
    #[must_use]
    pub fn has_id_table(&self) -> bool {
        self.rows.ids().are_indexed()
    }

    /// Returns an index of `rows` with an empty graph.
    fn from_rows(rows: Rows, options: HnswOptions) -> Self {
        let graph = GraphIndex::new(rows.dim(), rows.similarity(), options);
        Self { rows, graph }
    }

    /// Encodes the row `first` and all later rows, and inserts them into the graph. On an error, inserts none of them.
    fn insert_from(&mut self, first: u32, threads: usize, control: &Control) -> Result<(), Error> {
        let (new, view) = (first..self.rows.len() as u32, self.rows.view());
        self.graph.encode(&view, new.clone());
        let inserted = self.graph.insert(&view, new, threads, control);
        if inserted.is_err() {
            self.graph.truncate_codes(first as usize);
        }
        inserted
    }
}
