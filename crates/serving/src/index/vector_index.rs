//! One type for flat and HNSW indexes.

use std::borrow::Cow;
use std::path::Path;

use control::Control;
use dense::{Error, Filter, FlatIndex, HnswIndex, Longest, Put, RowIds, RowSet};
use ranking::Hit;

/// A flat or an HNSW index. A flat index ignores parameters that only a graph needs.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one per index, behind an `Arc`")]
pub enum VectorIndex {
    /// Exact search.
    Flat(FlatIndex),
    /// Approximate search in a graph.
    Hnsw(HnswIndex),
}

/// Evaluates `$work` for the index inside, of whichever kind.
macro_rules! on {
    ($self:expr, $index:ident => $work:expr) => {
        match $self {
            VectorIndex::Flat($index) => $work,
            VectorIndex::Hnsw($index) => $work,
        }
    };
}

/// What one query asks for.
#[derive(Debug, Clone, Copy)]
pub struct SearchParams {
    /// Number of hits.
    pub k: usize,
    /// Size of the candidate queue of a graph search, as in hnswlib.
    pub ef: usize,
}

impl VectorIndex {
    /// Name of its class in JavaScript.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Flat(_) => "FlatIndex",
            Self::Hnsw(_) => "HnswIndex",
        }
    }

    /// Dimension of the vectors.
    pub fn dim(&self) -> usize {
        on!(self, index => index.dim())
    }

    /// Number of rows, including deleted ones.
    pub fn row_count(&self) -> usize {
        on!(self, index => index.len())
    }

    /// Number of rows that are not deleted.
    pub fn live_len(&self) -> usize {
        on!(self, index => index.live_len())
    }

    /// `dot`, `cosine` or `l2`.
    pub fn similarity(&self) -> &'static str {
        on!(self, index => index.similarity().name())
    }

    /// How a flat index stores its vectors: `f32`, `f16` or `int8Filtered`.
    pub fn storage(&self) -> Option<&'static str> {
        match self {
            Self::Flat(index) => Some(index.storage().name()),
            Self::Hnsw(_) => None,
        }
    }

    /// JSON that was stored with the index.
    pub fn metadata(&self) -> &serde_json::Value {
        on!(self, index => index.metadata())
    }

    /// Bytes of memory that the index has allocated; mapped files do not count.
    pub fn memory_bytes(&self) -> usize {
        on!(self, index => index.memory_bytes())
    }

    /// Id of a row.
    pub fn id(&self, ord: u32) -> &str {
        on!(self, index => index.id(ord))
    }

    /// Calls `with` for the id of each hit, in order.
    pub fn for_each_id(&self, hits: &[Hit], with: impl FnMut(&str)) {
        on!(self, index => index.for_each_id(hits, with));
    }

    /// Row of an id.
    pub fn ord(&self, id: &str) -> Option<u32> {
        on!(self, index => index.ord(id))
    }

    /// Rows of the phrases of a passage.
    pub fn rows_of_passage(&self, passage: &str) -> Vec<u32> {
        on!(self, index => index.rows_of_passage(passage))
    }

    /// Vector of a row, as it is stored.
    pub fn vector(&self, ord: u32) -> Cow<'_, [f32]> {
        match self {
            Self::Flat(index) => index.vector(ord),
            Self::Hnsw(index) => Cow::Borrowed(index.vector(ord)),
        }
    }

    /// Whether looking up an id is fast: the table for that is built when it is first needed.
    pub fn ids_listed(&self) -> bool {
        on!(self, index => index.ids_listed())
    }

    /// Checks all bytes of the file that the index was opened from.
    ///
    /// # Errors
    ///
    /// If they are not what was written.
    pub fn verify(&self) -> Result<(), Error> {
        on!(self, index => index.verify())
    }

    /// Rows that are not deleted.
    pub fn live(&self) -> RowSet {
        on!(self, index => index.live())
    }

    /// Snapshot of the ids of all rows.
    pub fn row_ids(&self) -> RowIds {
        on!(self, index => index.row_ids())
    }

    /// Deletes rows.
    ///
    /// # Errors
    ///
    /// If an id is unknown; no row is deleted then.
    pub fn delete(&mut self, ids: &[&str]) -> Result<(), Error> {
        on!(self, index => index.delete(ids))
    }

    /// Writes the index to a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        on!(self, index => index.save(path))
    }

    /// Checks rows that will be [staged](Self::stage).
    ///
    /// # Errors
    ///
    /// If the index would refuse one of them.
    pub fn check_rows(&self, put: Put, ids: &[String], vectors: &[f32]) -> Result<(), Error> {
        on!(self, index => index.check_rows(put, ids, vectors))
    }

    /// Number of rows that are staged in a few milliseconds, or less.
    pub fn first_slice(&self) -> usize {
        match self {
            Self::Flat(index) => ((1 << 20) / index.dim()).max(1),
            Self::Hnsw(_) => 32,
        }
    }

    /// Prepares for vectors that will be staged, given the longest of them.
    pub fn expect(&mut self, longest: Longest) {
        match self {
            Self::Flat(_) => {}
            Self::Hnsw(index) => index.expect(longest),
        }
    }

    /// Appends rows that no search finds until they are [published](Self::publish).
    ///
    /// # Errors
    ///
    /// If it refuses a row, is cancelled, or the system gives no threads.
    pub fn stage(
        &mut self,
        put: Put,
        ids: Vec<String>,
        vectors: &[f32],
        threads: usize,
        control: &Control,
    ) -> Result<(), Error> {
        match self {
            Self::Flat(index) => {
                let rows = ids.len() as u64;
                index.stage(put, ids, vectors)?;
                control.advance(rows);
                Ok(())
            }
            Self::Hnsw(index) => index.stage(put, ids, vectors, threads, control),
        }
    }

    /// Makes the staged rows visible. Returns the pairs (old row, new row) of the ids that were replaced.
    pub fn publish(&mut self) -> Vec<(u32, u32)> {
        on!(self, index => index.publish())
    }

    /// Drops the staged rows.
    pub fn take_back(&mut self) {
        on!(self, index => index.take_back());
    }

    /// A copy without the deleted rows.
    ///
    /// # Errors
    ///
    /// If it is cancelled, or the system gives no threads.
    pub fn compacted(&self, threads: usize, control: &Control) -> Result<Self, Error> {
        match self {
            Self::Flat(index) => {
                let compacted = index.compacted();
                control.check()?;
                control.advance(compacted.len() as u64);
                Ok(Self::Flat(compacted))
            }
            Self::Hnsw(index) => Ok(Self::Hnsw(index.compacted(threads, control)?)),
        }
    }

    /// About how many rows a search scores. `allowed` is the number of rows that a filter allows.
    #[must_use]
    pub fn rows_scored(&self, SearchParams { k, ef }: SearchParams, allowed: Option<usize>) -> usize {
        match self {
            Self::Flat(index) => index.rows_scored(allowed),
            Self::Hnsw(index) => index.rows_scored(k, ef, allowed),
        }
    }

    /// Searches with one query.
    ///
    /// # Errors
    ///
    /// If the query is not a finite vector of the dimension of the index, or it is cancelled.
    pub fn search(
        &self,
        query: &[f32],
        SearchParams { k, ef }: SearchParams,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        match self {
            Self::Flat(index) => index.search_filtered(query, k, filter, control),
            Self::Hnsw(index) => index.search_filtered(query, k, ef, filter, control),
        }
    }

    /// Searches with each of the queries `[queries, dim]`, on `threads` threads.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search), or if the system gives no threads.
    pub fn search_many(
        &self,
        queries: &[f32],
        SearchParams { k, ef }: SearchParams,
        threads: usize,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        match self {
            Self::Flat(index) => index.search_many_filtered(queries, k, threads, filter, control),
            Self::Hnsw(index) => index.search_many_filtered(queries, k, ef, threads, filter, control),
        }
    }
}
