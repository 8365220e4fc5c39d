//! The growing index itself, [`GrowingIndex`]: appending rows, and inserting them into the graph later.

use std::ops::Range;

use control::Control;

use super::memory_copy::{GraphCopy, MappedGraph};
use crate::hnsw::graph_index::GraphIndex;
use crate::hnsw::options::HnswOptions;
use crate::hnsw::search::candidate_queue::MAX_GRAPH_ROWS;
use crate::store::vector_rows::VectorRows;
use crate::{Error, RowSet, Similarity};

/// Number of rows that [`GrowingIndex::compacted`] copies between two checks for cancellation.
const ROWS_PER_CHECK: usize = 1024;

/// Vectors without ids. Searches find rows as soon as they are appended: rows that are not in the graph yet, which come
/// after all rows in the graph, are scanned.
///
/// A row is identified by its position, its *ord*. [`append`](Self::append) takes microseconds per row;
/// [`insert_pending`](Self::insert_pending), which inserts rows into the graph, takes a hundred times as long, and can
/// be called later, in slices. The scores of hits are exact and equal those of a [`FlatIndex`](crate::FlatIndex).
///
/// ```
/// use control::Control;
/// use dense::{GrowingIndex, HnswOptions, RowSet, Similarity};
///
/// let control = Control::new();
/// let mut index = GrowingIndex::new(2, Similarity::Dot, HnswOptions::default())?;
/// assert_eq!(index.append(&[1.0, 0.0, 0.0, 1.0])?, 0..2);
/// assert_eq!((index.pending(), index.search(&[1.0, 3.0], 1, 10, None, &control)?[0].ord), (2, 1));
/// while index.insert_pending(1, 1, &control)? > 0 {}
/// assert_eq!((index.pending(), index.search(&[1.0, 3.0], 1, 10, None, &control)?[0].ord), (0, 1));
///
/// index.set_deleted(RowSet::from_iter([1]));
/// assert_eq!(index.search(&[1.0, 3.0], 1, 10, None, &control)?[0].ord, 0);
/// # Ok::<(), dense::Error>(())
/// ```
#[derive(Debug)]
pub struct GrowingIndex {
    pub(super) rows: VectorRows,
    pub(super) graph: GraphIndex,
    /// The file of the codes and the graph, unless they are in memory.
    pub(super) mapped: Option<MappedGraph>,
    /// The number of deleted rows in the graph.
    pub(super) num_deleted_in_graph: usize,
    /// The rows in the graph without neighbors, because they were deleted before they were inserted.
    pub(super) unlinked: RowSet,
    /// The unlinked rows that are live again.
    pub(super) revived: RowSet,
}

impl GrowingIndex {
    /// Creates an empty index of vectors of dimension `dim`.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] for a dimension of 0 or above 2²⁰, or an option outside its range.
    pub fn new(dim: usize, similarity: Similarity, options: HnswOptions) -> Result<Self, Error> {
        options.check()?;
        let rows = VectorRows::new(dim, similarity)?;
        Ok(Self::from_parts(rows, GraphIndex::new(dim, similarity, options), None, RowSet::new()))
    }

    /// Creates an index without deleted rows.
    pub(super) fn from_parts(
        rows: VectorRows,
        graph: GraphIndex,
        mapped: Option<MappedGraph>,
        unlinked: RowSet,
    ) -> Self {
        let revived = unlinked.clone();
        Self { rows, graph, mapped, num_deleted_in_graph: 0, unlinked, revived }
    }

    /// Appends the vectors `[n * dim]`, row-major, and returns their ords. Searches find them from then on. Appends all
    /// of them or, on an error, none. Computes their codes, but does not insert them into the graph.
    ///
    /// If the index was opened from a file, the first call copies the codes and the graph to memory, unless they were
    /// [copied before](Self::mapped_graph).
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`], [`Error::NotFinite`], [`Error::Length`], [`Error::Zero`] (cosine only) or [`Error::Full`].
    pub fn append(&mut self, vectors: &[f32]) -> Result<Range<u32>, Error> {
        let prepared = self.similarity().prepare("add", self.dim(), vectors)?;
        let got = self.len() + prepared.len() / self.dim();
        if got > MAX_GRAPH_ROWS {
            return Err(Error::Full { expected: MAX_GRAPH_ROWS, got });
        }
        Ok(self.append_prepared(&prepared))
    }

    /// Checks a vector `[dim]` as [`append`](Self::append) would, without appending it.
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append), except for [`Error::Full`].
    pub fn check(&self, vector: &[f32]) -> Result<(), Error> {
        let (expected, got) = (self.dim(), vector.len());
        if expected != got {
            return Err(Error::Dimension { operation: "add", expected, got });
        }
        self.similarity().prepare("add", expected, vector).map(drop)
    }

    /// Returns the number of rows that [`insert_pending`](Self::insert_pending) still has to insert: rows that are not
    /// in the graph yet, deleted or not, and rows that were deleted when they were inserted, but are live again.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.len() - self.graph.num_graph_rows() + self.revived.len()
    }

    /// Inserts up to `max_rows` of the pending rows, in order, into the graph with `threads` threads (0: one per CPU).
    /// Deleted rows are inserted too, but get no neighbors. Returns the number of inserted rows, which is 0 only if
    /// none are pending or `max_rows` is 0; it may be less than `max_rows` even if more are pending. Counts each row
    /// that gets neighbors as one unit of progress.
    ///
    /// If the index was opened from a file, the first call copies the codes and the graph to memory, unless they were
    /// [copied before](Self::mapped_graph).
    ///
    /// # Errors
    ///
    /// [`Error::Full`], [`Error::Threads`] or [`Error::Canceled`]; the index is then unchanged.
    pub fn insert_pending(
        &mut self,
        max_rows: usize,
        threads: usize,
        control: &Control,
    ) -> Result<usize, Error> {
        control.check()?;
        if !self.revived.is_empty() {
            return self.insert_revived(max_rows, threads, control);
        }
        let first = self.graph.num_graph_rows();
        let count = max_rows.min(self.len() - first);
        if count == 0 {
            return Ok(0);
        }
        let new = first as u32..(first + count) as u32;
        self.copy_to_memory();
        self.graph.insert(&self.rows.view(), new.clone(), threads, control)?;
        for row in new.filter(|&row| self.rows.deleted().contains(row)) {
            self.unlinked.insert(row);
            self.num_deleted_in_graph += 1;
        }
        Ok(count)
    }

    /// Gives neighbors to up to `max_rows` of the revived rows.
    fn insert_revived(&mut self, max_rows: usize, threads: usize, control: &Control) -> Result<usize, Error> {
        let rows: Vec<u32> = self.revived.iter().take(max_rows).collect();
        self.copy_to_memory();
        self.graph.insert_revived(&self.rows.view(), &rows, threads, control)?;
        let linked: RowSet = rows.iter().copied().collect();
        self.unlinked = self.unlinked.difference(&linked);
        self.revived = self.revived.difference(&linked);
        Ok(rows.len())
    }

    /// Replaces the set of deleted rows, which no search returns. A row that is not in the new set is live, even if it
    /// was deleted before. Ords without a row are ignored: a row that is appended later is live.
    pub fn set_deleted(&mut self, deleted: RowSet) {
        self.rows.set_deleted(&deleted);
        let in_graph = RowSet::full(self.graph.num_graph_rows());
        self.num_deleted_in_graph = self.rows.deleted().intersection(&in_graph).len();
        self.revived = self.unlinked.difference(self.rows.deleted());
    }

    /// Returns a copy with only these rows, in their order, and a new graph, built on `threads` threads (0: one per
    /// CPU). No row of the copy is deleted or pending. Ords without a row are ignored. Counts each row as one unit of
    /// progress.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] or [`Error::Canceled`].
    pub fn compacted(&self, rows: &RowSet, threads: usize, control: &Control) -> Result<Self, Error> {
        let mut copy = Self::new(self.dim(), self.similarity(), *self.options())?;
        let rows: Vec<u32> = rows.iter().take_while(|&row| (row as usize) < self.len()).collect();
        let mut vectors = Vec::with_capacity(rows.len().min(ROWS_PER_CHECK) * self.dim());
        for rows in rows.chunks(ROWS_PER_CHECK) {
            control.check()?;
            vectors.clear();
            rows.iter().for_each(|&row| vectors.extend_from_slice(self.vector(row)));
            copy.append_prepared(&vectors);
        }
        copy.insert_pending(usize::MAX, threads, control)?;
        Ok(copy)
    }

    /// Returns the codes and the graph of an opened index; `None` if they are in memory already.
    ///
    /// The first change to an opened index copies both to memory, which takes long in a large index. To keep searches
    /// in other threads from waiting for this, a program calls this function and [`MappedGraph::copy_to_memory`] while
    /// searches continue, and then [`use_copy`](Self::use_copy) before the first change.
    #[must_use]
    pub fn mapped_graph(&self) -> Option<MappedGraph> {
        self.mapped.clone()
    }

    /// Replaces the mapped codes and graph with their copy, which takes microseconds. Does nothing if the index has
    /// been changed since they were copied, or if the copy is of another index. Returns whichever of the two is no
    /// longer needed, so that the caller can drop it outside a lock.
    pub fn use_copy(&mut self, mut copy: GraphCopy) -> GraphCopy {
        if self.mapped.as_ref().is_some_and(|mapped| mapped.is_source_of(&copy)) {
            self.mapped = None;
            std::mem::swap(&mut self.graph, &mut copy.graph);
        }
        copy
    }

    /// Reserves space for `additional` rows, so that appending and inserting them does not reallocate. A reallocation
    /// takes about as long as [copying the graph](MappedGraph::copy_to_memory). Without reserved space, it
    /// happens each time the number of rows has doubled. Copies the codes and the graph of an opened index to memory
    /// first.
    pub fn reserve(&mut self, additional: usize) {
        self.mapped = None;
        self.rows.reserve(additional);
        self.graph.reserve(additional + self.len() - self.graph.num_graph_rows());
    }

    /// Returns the vector of a row, deleted or not, as it is stored: scaled to length 1 for cosine.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn vector(&self, row: u32) -> &[f32] {
        self.rows.stored(row)
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

    /// Returns the number of bytes that the index holds in memory, without the data that is mapped from a file.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let sets = self.unlinked.memory_bytes() + self.revived.memory_bytes();
        self.rows.memory_bytes() + self.graph.memory_bytes() + sets
    }

    /// Returns the number of bytes of vectors that are mapped from a file, so that a search may have to read them from a
    /// disk.
    #[must_use]
    pub fn mapped_bytes(&self) -> usize {
        self.rows.mapped_bytes()
    }

    /// Appends vectors that are already [prepared](Similarity::prepare), with their codes.
    fn append_prepared(&mut self, prepared: &[f32]) -> Range<u32> {
        let new = self.rows.append(prepared);
        if !new.is_empty() {
            self.copy_to_memory();
            self.graph.encode(&self.rows.view(), new.clone());
        }
        new
    }

    /// Copies the codes and the graph of an opened index to memory, where they can be changed. Vectors stay in the file.
    fn copy_to_memory(&mut self) {
        if self.mapped.take().is_some() {
            self.graph.reserve(0);
        }
    }
}
