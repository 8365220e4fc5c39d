//! [`VectorIndex`], one type for flat and HNSW indexes, so that the rest of this crate need not distinguish them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use control::Control;
use dense::{Error, Filter, FlatIndex, HnswIndex, Longest, Put, RowIds, RowSet, passage_of};
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

/// Evaluates `$work` with `$index` bound to the flat or the HNSW index.
macro_rules! on {
    ($self:expr, $index:ident => $work:expr) => {
        match $self {
            VectorIndex::Flat($index) => $work,
            VectorIndex::Hnsw($index) => $work,
        }
    };
}

/// Parameters of a search.
#[derive(Debug, Clone, Copy)]
pub struct SearchParams {
    /// Number of hits.
    pub k: usize,
    /// Number of candidates that a graph search expands. A flat index ignores this number.
    pub ef: usize,
}

impl VectorIndex {
    /// Name of the index's class in JavaScript.
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

    /// How a flat index stores its vectors: `f32`, `f16` or `int8Rescored`.
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

    /// Calls `visit` with the id of each hit, in order.
    pub fn for_each_id(&self, hits: &[Hit], visit: impl FnMut(&str)) {
        on!(self, index => index.for_each_id(hits, visit));
    }

    /// The row with this id, if there is one.
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

    /// Returns the vectors with these ids `[ids, dim]`, as they are stored.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownId`] for the first id that the index does not have.
    pub fn vectors_of(&self, ids: Vec<String>) -> Result<Vec<f32>, Error> {
        let mut vectors = Vec::with_capacity(ids.len() * self.dim());
        for (row, id) in ids.into_iter().enumerate() {
            match self.ord(&id) {
                Some(ord) => vectors.extend_from_slice(&self.vector(ord)),
                None => return Err(Error::UnknownId { operation: "vectors", id, row }),
            }
        }
        Ok(vectors)
    }

    /// Number of passages in an index of phrases. A passage whose phrases are all deleted does not count.
    pub fn passage_count(&self) -> usize {
        let live = self.live();
        let passages: HashSet<&str> = live.iter().map(|ord| passage_of(self.id(ord))).collect();
        passages.len()
    }

    /// Whether looking up an id is fast. The first lookup builds a table of ids, which takes a long time in a large
    /// index.
    pub fn has_id_table(&self) -> bool {
        on!(self, index => index.has_id_table())
    }

    /// Checks the file that the index was opened from: its checksums, and whether its contents are valid.
    ///
    /// # Errors
    ///
    /// If a check fails.
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
    /// If an id is unknown. In that case, no row is deleted.
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

    /// Returns a number of rows that can be staged within a few milliseconds. Later slices adapt to measured times.
    pub fn first_slice(&self) -> usize {
        match self {
            // Copies about 4 MB.
            Self::Flat(index) => ((1 << 20) / index.dim()).max(1),
            // Each row takes a graph search.
            Self::Hnsw(_) => 32,
        }
    }

    /// Announces the length of the longest vector that will be staged (see [`HnswIndex::announce_longest`]).
    pub fn announce_longest(&mut self, longest: Longest) {
        match self {
            Self::Flat(_) => {}
            Self::Hnsw(index) => index.announce_longest(longest),
        }
    }

    /// Appends rows that no search finds until they are [published](Self::publish).
    ///
    /// # Errors
    ///
    /// If the index refuses a row, the work is canceled, or the system cannot create threads.
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

    /// Makes the staged rows visible to searches. Returns a pair (old row, new row) for each row that was replaced.
    pub fn publish(&mut self) -> Vec<(u32, u32)> {
        on!(self, index => index.publish())
    }

    /// Drops the staged rows.
    pub fn discard_staged(&mut self) {
        on!(self, index => index.discard_staged());
    }

    /// Returns a copy without the deleted rows.
    ///
    /// # Errors
    ///
    /// If the work is canceled, or the system cannot create threads.
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

    /// Estimates how many rows a search scores. `allowed` is the number of rows that a filter allows; `None` without a
    /// filter.
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
    /// If the query is not a finite vector of the dimension of the index, or the work is canceled.
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

    /// Searches with each of the queries `[queries, dim]`, on `threads` threads; 0 means one per core.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search), or if the system cannot create threads.
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
