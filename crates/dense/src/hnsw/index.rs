mod search;
mod staging;

use std::path::Path;
use std::sync::Mutex;

use control::Control;
use ranking::Hit;
use serde_json::Value;
use storage::OpenOptions;

use super::build::{Job, link};
use super::codes::Codes;
use super::file::{self, Parts};
use super::graph::Graph;
use super::options::HnswOptions;
use super::scorer::Closeness;
use super::search::candidate_queue::MOST_ROWS;
use super::search::scratch::Scratch;
use super::squared_lengths::SquaredLengths;
use crate::store::rows::Rows;
use crate::{Error, FlatIndex, Similarity};

/// Vectors by id, searched approximately through a graph (Malkov and Yashunin, 2018).
///
/// Scores are exact, and equal those of a [`FlatIndex`]; of the best rows a few may be missing. Where a walk
/// would cost as much as scoring every row, because `ef` is near the number of rows or a filter allows few hundred, a
/// search is exact. Where a filter allows more, but not so many that a walk is cheaper, the codes of all of them are
/// compared, and hardly one of the best is missing. A search always finds as many hits as there are, up to `k`: where a walk does not, every row is
/// scored. Hits come best first, those of equal scores in the order of their ords. One query has the same hits
/// alone, among others and on any number of threads; an index built on one thread is the same for the same rows
/// and options, in however many batches they were added.
///
/// Deleted rows are no hits; walks still pass through them until [`compact`](Self::compact).
#[derive(Debug)]
pub struct HnswIndex {
    rows: Rows,
    graph: Graph,
    codes: Codes,
    /// Where the graph is one of augmented vectors.
    lengths: Option<SquaredLengths>,
    options: HnswOptions,
    /// Left behind by searches for the next ones.
    scratches: Mutex<Vec<Scratch>>,
}

impl HnswIndex {
    /// An empty index of vectors of dimension `dim`. `metadata` is the caller's own and is saved with the index.
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
        Ok(Self::of_rows(Rows::new(dim, similarity, metadata)?, options))
    }

    /// The graph of a flat index's rows, whose vectors stay where they are: in the file of an opened one. Counts
    /// each row as one unit done. Runs on `threads` threads (0: one for each CPU).
    ///
    /// # Errors
    ///
    /// [`Error::Option`], [`Error::Threads`] or [`Error::Cancelled`].
    pub fn from_flat(
        flat: FlatIndex,
        options: HnswOptions,
        threads: usize,
        control: &Control,
    ) -> Result<Self, Error> {
        options.check()?;
        if flat.len() > MOST_ROWS {
            return Err(Error::Full { expected: MOST_ROWS, got: flat.len() });
        }
        let mut index = Self::of_rows(flat.into_rows(), options);
        index.link_from(0, threads, control)?;
        Ok(index)
    }

    /// Adds the vectors `[n * dim]`, row-major, under `n` ids on `threads` threads (0: one for each CPU): all of
    /// them or, on an error or when cancelled, none; the index is then what it was before. Counts each row as
    /// one unit done.
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
        if new.end as usize > MOST_ROWS {
            self.rows.truncate(new.start as usize);
            return Err(Error::Full { expected: MOST_ROWS, got: new.end as usize });
        }
        let linked = self.link_from(new.start, threads, control);
        if linked.is_err() {
            self.rows.truncate(new.start as usize);
        }
        linked
    }

    /// Deletes rows by their ids, which may be added anew afterwards: all of them or, on an error, none.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`]
    pub fn delete<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<(), Error> {
        self.rows.delete(ids)
    }

    /// Gives back the space of deleted rows by building the graph of the others anew. They keep their order, and
    /// get new ords if a row before them was deleted. Counts each row as one unit done.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] or [`Error::Cancelled`]; the index is then what it was before.
    pub fn compact(&mut self, threads: usize, control: &Control) -> Result<(), Error> {
        *self = self.compacted(threads, control)?;
        Ok(())
    }

    /// The id of a row, also of a deleted one.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn id(&self, ord: u32) -> &str {
        self.rows.ids().id(ord)
    }

    /// Calls `with` for the [id](Self::id) of each hit, in order: faster than one after another.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn for_each_id(&self, hits: &[Hit], with: impl FnMut(&str)) {
        self.rows.ids().for_each_id(hits, with);
    }

    /// The row of an id; none if it is deleted or was never added.
    #[must_use]
    pub fn ord(&self, id: &str) -> Option<u32> {
        self.rows.ids().ord(id)
    }

    /// The vector of a row, also of a deleted one, as it is stored: scaled to length 1 for cosine.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn vector(&self, ord: u32) -> &[f32] {
        self.rows.stored(ord)
    }

    /// How many rows there are, deleted ones too: ords are below this.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows, not even deleted ones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rows are not deleted.
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

    /// What was given when the index was made.
    #[must_use]
    pub fn metadata(&self) -> &Value {
        self.rows.metadata()
    }

    /// Bytes that the index holds in memory; what is mapped from a file does not count.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let lengths = self.lengths.as_ref().map_or(0, |lengths| lengths.column().memory_bytes());
        self.rows.memory_bytes() + self.graph.memory_bytes() + self.codes.memory_bytes() + lengths
    }

    /// Saves the index; a file already there is replaced whole or, on an error, not at all.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        file::save(path, &self.rows, &self.graph, &self.codes, self.lengths.as_ref(), &self.options)
    }

    /// Opens a saved index. Vectors, ids and links stay in the file; the links are copied to memory when rows
    /// are added, and rows added are kept in memory, until the index is saved again.
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
        let Parts { rows, graph, codes, lengths, options } = file::open(path, options)?;
        let index = Self { rows, graph, codes, lengths, options, scratches: Mutex::default() };
        if verify {
            index.verify()?;
        }
        Ok(index)
    }

    /// Reads the whole file of an opened index, compares it with its checksums and checks what searches otherwise take
    /// as it is. Opening does so for what takes no more than some milliseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]
    pub fn verify(&self) -> Result<(), Error> {
        self.rows.verify()?;
        let Some(file) = self.rows.file() else { return Ok(()) };
        let checked = self.graph.check_links();
        Ok(checked.map_err(|(expected, got)| storage::Error::corrupt(file.path(), expected, got))?)
    }

    /// The rows of a passage of an index of [phrases](crate::PHRASES), but for deleted ones, in the order in which they were
    /// added.
    #[must_use]
    pub fn rows_of_passage(&self, passage: &str) -> Vec<u32> {
        self.rows.ids().rows_of_passage(passage)
    }

    /// Whether [`ord`](Self::ord) takes a moment: the ids of a large file are listed when they are first asked for.
    #[must_use]
    pub fn ids_listed(&self) -> bool {
        self.rows.ids().listed()
    }

    /// An index whose rows are not in the graph yet.
    fn of_rows(rows: Rows, options: HnswOptions) -> Self {
        let augmented = SquaredLengths::needed(rows.similarity(), options.inner_product);
        let lengths = augmented.then(SquaredLengths::new);
        let codes = Codes::new(rows.dim(), rows.similarity(), options.layout);
        Self { rows, graph: Graph::new(options.m), codes, lengths, options, scratches: Mutex::default() }
    }

    /// Puts the rows from `first` on in the graph; on an error, none of them.
    fn link_from(&mut self, first: u32, threads: usize, control: &Control) -> Result<(), Error> {
        let new = first..self.rows.len() as u32;
        let view = self.rows.view();
        if let Some(lengths) = &mut self.lengths {
            new.clone().for_each(|row| lengths.push(view.row(row)));
        }
        self.codes.extend(&view, new.clone());
        let closeness = Closeness::new(view, self.codes.view(), self.lengths.as_ref());
        let job = Job { closeness, options: &self.options, threads, control };
        let linked = link(&mut self.graph, new, |row| view.is_live(row), &job);
        if linked.is_err() {
            self.codes.truncate(first as usize);
            if let Some(lengths) = &mut self.lengths {
                lengths.truncate(first as usize);
            }
        }
        linked
    }
}
