mod search;
mod staging;

use std::path::Path;
use std::sync::Mutex;

use control::Control;
use ranking::Hit;
use serde_json::Value;
use storage::OpenOptions;

use super::build::{BuildContext, insert_rows};
use super::codes::Codes;
use super::file::{self, Parts};
use super::graph::Graph;
use super::options::HnswOptions;
use super::scorer::Scorer;
use super::search::candidate_queue::MAX_ROWS;
use super::search::scratch::Scratch;
use super::squared_lengths::SquaredLengths;
use crate::store::rows::Rows;
use crate::{Error, FlatIndex, Similarity};

/// Vectors by id, searched approximately through a graph (Malkov and Yashunin, 2018).
///
/// Scores are exact, and equal those of a [`FlatIndex`]; a few of the best rows may be missing. A search is exact where
/// scoring every row costs no more than a beam search: if `k` is near the number of rows, or a filter allows few hundred. If a
/// filter allows more rows, but too few for a beam search to be cheaper, the codes of all of them are scored, and hardly
/// any of the best is missing. A search always returns `k` hits if there are as many: where a beam search finds fewer, every
/// row is scored.
///
/// Hits come best first, those of equal scores in the order of their ords. A query has the same hits alone, among others and
/// on any number of threads, unless `search_many` scans all codes for a large batch. An index built on one thread is the same for
/// the same rows and options, in however many batches they were added.
///
/// Deleted rows are no hits. They stay in the graph, where searches still pass through them, until
/// [`compact`](Self::compact).
#[derive(Debug)]
pub struct HnswIndex {
    rows: Rows,
    graph: Graph,
    codes: Codes,
    /// For graphs of augmented vectors.
    squared_lengths: Option<SquaredLengths>,
    options: HnswOptions,
    /// Buffers of searches that are over, for the next ones.
    scratches: Mutex<Vec<Scratch>>,
}

impl HnswIndex {
    /// Creates an empty index of vectors of dimension `dim`. `metadata` is the caller's own and is saved with the index.
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

    /// Builds the graph of a flat index's rows, whose vectors stay where they are: in the file of an opened one. Counts each
    /// row as one unit done. Runs on `threads` threads (0: one for each CPU).
    ///
    /// # Errors
    ///
    /// [`Error::Option`], [`Error::Full`], [`Error::Threads`] or [`Error::Cancelled`].
    pub fn from_flat(
        flat: FlatIndex,
        options: HnswOptions,
        threads: usize,
        control: &Control,
    ) -> Result<Self, Error> {
        options.check()?;
        if flat.len() > MAX_ROWS {
            return Err(Error::Full { expected: MAX_ROWS, got: flat.len() });
        }
        let mut index = Self::from_rows(flat.into_rows(), options);
        index.insert_from(0, threads, control)?;
        Ok(index)
    }

    /// Adds the vectors `[n * dim]`, row-major, under `n` ids on `threads` threads (0: one for each CPU). Adds all of them or,
    /// on an error or when cancelled, none; the index is then what it was before. Counts each row as one unit done.
    ///
    /// # Errors
    ///
    /// As [`FlatIndex::add`]; [`Error::Threads`]; [`Error::Cancelled`].
    pub fn add(
        &mut self,
        ids: Vec<String>,
        vectors: &[f32],
        threads: usize,
        control: &Control,
    ) -> Result<(), Error> {
        control.check()?;
        let new = self.rows.append(&ids, vectors)?;
        if new.end as usize > MAX_ROWS {
            self.rows.truncate(new.start as usize);
            return Err(Error::Full { expected: MAX_ROWS, got: new.end as usize });
        }
        let inserted = self.insert_from(new.start, threads, control);
        if inserted.is_err() {
            self.rows.truncate(new.start as usize);
        }
        inserted
    }

    /// Deletes rows by their ids, which may be added again afterwards. Deletes all of them or, on an error, none.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`]
    pub fn delete<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<(), Error> {
        self.rows.delete(ids)
    }

    /// Frees the space of deleted rows by building a new graph of the others. They keep their order, and get new ords if a
    /// row before them was deleted. Counts each row as one unit done.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] or [`Error::Cancelled`]; the index is then what it was before.
    pub fn compact(&mut self, threads: usize, control: &Control) -> Result<(), Error> {
        *self = self.compacted(threads, control)?;
        Ok(())
    }

    /// The id of a row, deleted or not.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn id(&self, ord: u32) -> &str {
        self.rows.ids().id(ord)
    }

    /// Calls `with` for the [id](Self::id) of each hit, in order: faster than looking up one after another.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn for_each_id(&self, hits: &[Hit], with: impl FnMut(&str)) {
        self.rows.ids().for_each_id(hits, with);
    }

    /// The row of an id; `None` if it is deleted or was never added.
    #[must_use]
    pub fn ord(&self, id: &str) -> Option<u32> {
        self.rows.ids().ord(id)
    }

    /// The vector of a row, deleted or not, as it is stored: scaled to length 1 for cosine.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn vector(&self, ord: u32) -> &[f32] {
        self.rows.stored(ord)
    }

    /// The number of rows, including deleted ones: ords are below this.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows, not even deleted ones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of rows that searches can find.
    #[must_use]
    pub fn live_len(&self) -> usize {
        self.rows.live_len()
    }

    /// The dimension of the vectors.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.rows.dim()
    }

    /// How scores are computed.
    #[must_use]
    pub fn similarity(&self) -> Similarity {
        self.rows.similarity()
    }

    /// How the graph is built.
    #[must_use]
    pub fn options(&self) -> &HnswOptions {
        &self.options
    }

    /// The caller's metadata, as given when the index was created.
    #[must_use]
    pub fn metadata(&self) -> &Value {
        self.rows.metadata()
    }

    /// Bytes that the index holds in memory; what is mapped from a file does not count.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let squared_lengths = self.squared_lengths.as_ref().map_or(0, |all| all.column().memory_bytes());
        self.rows.memory_bytes() + self.graph.memory_bytes() + self.codes.memory_bytes() + squared_lengths
    }

    /// Saves the index. An existing file is replaced as a whole or, on an error, not at all.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        file::save(path, &self.rows, &self.graph, &self.codes, self.squared_lengths.as_ref(), &self.options)
    }

    /// Opens a saved index. Vectors, ids and the graph stay in the file. The graph is copied to memory when rows are added;
    /// added rows are kept in memory until the index is saved again.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`], also for a file of another kind of index.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with(path, OpenOptions::default())
    }

    /// Opens a saved index, in memory or mapped. With `verify` this also runs [`verify`](Self::verify).
    ///
    /// # Errors
    ///
    /// Same as [`open`](Self::open).
    pub fn open_with(path: &Path, options: OpenOptions) -> Result<Self, Error> {
        let verify = options.verify;
        let Parts { rows, graph, codes, squared_lengths, options } = file::open(path, options)?;
        let index = Self { rows, graph, codes, squared_lengths, options, scratches: Mutex::default() };
        if verify {
            index.verify()?;
        }
        Ok(index)
    }

    /// Reads the whole file of an opened index, compares it with its checksums, and checks that its contents are valid.
    /// [`open`](Self::open) does that only for parts that take milliseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]
    pub fn verify(&self) -> Result<(), Error> {
        self.rows.verify()?;
        let Some(file) = self.rows.file() else { return Ok(()) };
        let checked = self.graph.check_neighbors();
        Ok(checked
            .map_err(|mismatch| storage::Error::corrupt(file.path(), mismatch.expected, mismatch.got))?)
    }

    /// The rows of a passage in an index of [phrases](crate::PHRASES), without deleted ones, in the order in which they were
    /// added.
    #[must_use]
    pub fn rows_of_passage(&self, passage: &str) -> Vec<u32> {
        self.rows.ids().rows_of_passage(passage)
    }

    /// Whether ids have been indexed, so that [`ord`](Self::ord) is fast: the ids of a large file are indexed by the first
    /// call that needs it.
    #[must_use]
    pub fn ids_listed(&self) -> bool {
        self.rows.ids().are_indexed()
    }

    /// An index whose rows are not in the graph yet.
    fn from_rows(rows: Rows, options: HnswOptions) -> Self {
        let is_augmented = SquaredLengths::are_needed(rows.similarity(), options.inner_product);
        let squared_lengths = is_augmented.then(SquaredLengths::new);
        let codes = Codes::new(rows.dim(), rows.similarity(), options.layout);
        let graph = Graph::new(options.m);
        Self { rows, graph, codes, squared_lengths, options, scratches: Mutex::default() }
    }

    /// Inserts the rows from `first` on into the graph; on an error, none of them.
    fn insert_from(&mut self, first: u32, threads: usize, control: &Control) -> Result<(), Error> {
        let new = first..self.rows.len() as u32;
        let view = self.rows.view();
        if let Some(squared_lengths) = &mut self.squared_lengths {
            new.clone().for_each(|row| squared_lengths.push(view.row(row)));
        }
        self.codes.extend(&view, new.clone());
        let scorer = Scorer::new(view, self.codes.view(), self.squared_lengths.as_ref());
        let context = BuildContext { scorer, options: &self.options, threads, control };
        let inserted = insert_rows(&mut self.graph, new, |row| view.is_live(row), &context);
        if inserted.is_err() {
            self.codes.truncate(first as usize);
            if let Some(squared_lengths) = &mut self.squared_lengths {
                squared_lengths.truncate(first as usize);
            }
        }
        inserted
    }
}
