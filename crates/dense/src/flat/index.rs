mod staged;

use std::path::Path;
use std::sync::Arc;

use control::Control;
use ranking::Hit;
use serde_json::Value;
use storage::{File, Writer};

use super::KIND;
use crate::rows::Rows;
use crate::scan::{Filter, scan, scan_many};
use crate::{Error, Similarity};

/// Vectors by id, searched exactly.
///
/// Rows have ords in the order in which they were added, from 0. Hits come best first, those of equal scores in
/// the order of their ords, and are the same, bit for bit, for a query alone or among others and for any number
/// of threads. Deleted rows are no hits and keep their ords until [`compact`](Self::compact).
#[derive(Debug)]
pub struct FlatIndex {
    rows: Rows,
}

impl FlatIndex {
    /// An empty index of vectors of dimension `dim`. `metadata` is the caller's own and is saved with the index.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] for a dimension of 0 or above 2²⁰.
    pub fn new(dim: usize, similarity: Similarity, metadata: Value) -> Result<Self, Error> {
        Ok(Self { rows: Rows::new(dim, similarity, metadata)? })
    }

    /// Adds the vectors `[n * dim]`, row-major, under `n` ids: all of them or, on an error, none.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`], [`Error::Count`], [`Error::EmptyId`], [`Error::DuplicateId`] (in the index or
    /// earlier in `ids`), [`Error::NotFinite`], [`Error::Length`], [`Error::Zero`] (cosine only) or
    /// [`Error::Full`].
    pub fn add(&mut self, ids: Vec<String>, vectors: &[f32]) -> Result<(), Error> {
        self.rows.append(&ids, vectors).map(drop)
    }

    /// Deletes rows by their ids, which may be added anew afterwards: all of them or, on an error, none.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`]
    pub fn delete<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<(), Error> {
        self.rows.delete(ids)
    }

    /// Gives back the space of deleted rows. The others keep their order, and get new ords if a row before them
    /// was deleted. An opened index is copied to memory.
    pub fn compact(&mut self) {
        *self = self.compacted();
    }

    /// The `k` best rows for `query` `[dim]`, best first; fewer if there are fewer.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`], [`Error::NotFinite`], [`Error::Length`], [`Error::Zero`] or [`Error::Cancelled`].
    pub fn search(&self, query: &[f32], k: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        self.search_filtered(query, k, None, control)
    }

    /// [`search`](Self::search) among the rows that `filter` allows: exactly the `k` best of them.
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
        let query = self.rows.similarity().prepare_query(self.rows.dim(), query)?;
        Ok(scan(&self.rows.view(), &query, k, filter, control)?)
    }

    /// [`search`](Self::search) for each of the queries `[q * dim]`, row-major, on `threads` threads (0: one for
    /// each CPU). Counts each query as one unit done.
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

    /// [`search_many`](Self::search_many) among the rows that `filter` allows.
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
        let queries = self.rows.similarity().prepare("search", self.rows.dim(), queries)?;
        scan_many(&self.rows.view(), &queries, k, threads, filter, control)
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
        self.rows.vector(ord)
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

    /// What was given when the index was made.
    #[must_use]
    pub fn metadata(&self) -> &Value {
        self.rows.metadata()
    }

    /// Bytes that the index holds in memory; what is mapped from a file does not count.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.rows.memory_bytes()
    }

    /// Saves the index; a file already there is replaced whole or, on an error, not at all.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let mut writer = Writer::create(path, KIND)?;
        self.rows.write(&mut writer)?;
        Ok(writer.finish(self.rows.table())?)
    }

    /// Opens a saved index. Vectors and ids stay in the file; rows added later are kept in memory until the
    /// index is saved again.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`], also for a file of another kind of index.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self { rows: Rows::open(&Arc::new(File::open(path, KIND)?))? })
    }

    pub(crate) fn into_rows(self) -> Rows {
        self.rows
    }
}
