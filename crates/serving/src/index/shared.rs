//! The shared index: its lock, and the properties that can be read without the lock.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use dense::{PHRASES_KEY, RowSet, has_phrases};
use parking_lot::Mutex;

use super::filters::{FilterList, RowFilter};
use super::phrases::RowsPerPassage;
use super::vector_index::VectorIndex;
use crate::scheduling::{FairRwLock, LatencyEstimate, Poisoned, SerialQueue};

/// An index that many searches read at the same time, and that a writer locks for about 4 to 20 ms at a time.
///
/// Values that the addon returns as JavaScript properties are stored outside the lock, so that the event loop never
/// waits for a writer. Methods that change the index must run on its [`changes`](Self::changes) queue, because they
/// read, decide and write in several steps.
#[derive(Debug)]
pub struct SharedIndex {
    index: FairRwLock<VectorIndex>,
    /// Runs changes, and other work that must not see an unfinished change, one after another.
    pub changes: Arc<SerialQueue>,
    /// Predicts how long a search takes.
    pub latency: LatencyEstimate,
    /// Name of the index's class in JavaScript.
    pub kind: &'static str,
    /// Dimension of the vectors.
    pub dim: u32,
    /// `dot`, `cosine` or `l2`.
    pub similarity: &'static str,
    /// How a flat index stores its vectors: `f32`, `f16` or `int8Rescored`. `None` for an HNSW index.
    pub storage: Option<&'static str>,
    /// JSON that was stored with the index.
    pub metadata: String,
    /// Whether a passage has several rows, one for each of its phrases.
    pub has_phrases: bool,
    /// Whether vectors of phrases are scaled to length 1 when they are added.
    pub(super) scales_to_unit_length: bool,
    pub(super) rows_per_passage: RowsPerPassage,
    /// Number of threads for inserting new rows into a graph; 0 means one per core.
    pub(super) threads: usize,
    live_len: AtomicU32,
    compaction_count: AtomicU64,
    memory_bytes: AtomicU64,
    is_resident: AtomicBool,
    pub(super) filters: Mutex<FilterList>,
    /// Token with which other threads find the index; created when it is first requested.
    pub(super) token: OnceLock<String>,
    /// Number of JavaScript objects that have the index open.
    pub(super) handle_count: AtomicU32,
}

/// A memory-mapped index counts as resident, that is, searchable without waiting for a disk, if its vectors, as `f32`,
/// have at most this many bytes. They are then assumed to be in the page cache.
pub const MAX_RESIDENT_MAPPED_BYTES: usize = 64 << 20;

impl SharedIndex {
    /// Shares an index. `threads` is the number of threads for inserting new rows into a graph; 0 means one per core.
    #[must_use]
    pub fn new(index: VectorIndex, threads: usize) -> Arc<Self> {
        Arc::new(Self {
            changes: Arc::default(),
            latency: LatencyEstimate::default(),
            kind: index.kind(),
            dim: index.dim() as u32,
            similarity: index.similarity(),
            storage: index.storage(),
            metadata: index.metadata().to_string(),
            has_phrases: has_phrases(index.metadata()),
            scales_to_unit_length: index.metadata()[PHRASES_KEY]["unitLength"] == true,
            rows_per_passage: RowsPerPassage::default(),
            threads,
            live_len: AtomicU32::new(index.live_len() as u32),
            compaction_count: AtomicU64::new(0),
            memory_bytes: AtomicU64::new(index.memory_bytes() as u64),
            is_resident: AtomicBool::new(is_resident(&index)),
            filters: Mutex::default(),
            token: OnceLock::new(),
            handle_count: AtomicU32::new(1),
            index: FairRwLock::new(index),
        })
    }

    /// Number of rows that are not deleted, after the last write. Never waits.
    pub fn live_len(&self) -> u32 {
        self.live_len.load(Ordering::Relaxed)
    }

    /// A number that changes whenever ords get new meanings, that is, when the rows are compacted. It does not change
    /// while the index is being [read](Self::read).
    pub fn id_space(&self) -> u64 {
        self.compaction_count.load(Ordering::Relaxed)
    }

    /// Records that ords got new meanings. The caller must have exclusive access to the index.
    pub(super) fn change_id_space(&self) {
        self.compaction_count.fetch_add(1, Ordering::Relaxed);
    }

    /// Bytes of memory that the index has allocated, after the last write. Never waits.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes.load(Ordering::Relaxed)
    }

    /// Whether searches are assumed not to wait for a disk, after the last write. Never waits.
    pub fn is_resident(&self) -> bool {
        self.is_resident.load(Ordering::Relaxed)
    }

    /// Calls `work` with the index, while other threads may read it too.
    ///
    /// # Errors
    ///
    /// [`Poisoned`] if a change panicked.
    pub fn read<R>(&self, work: impl FnOnce(&VectorIndex) -> R) -> Result<R, Poisoned> {
        self.index.read(work)
    }

    /// Like [`read`](Self::read), but returns `None` if it would have to wait for a change.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn try_read<R>(&self, work: impl FnOnce(&VectorIndex) -> R) -> Result<Option<R>, Poisoned> {
        self.index.try_read(work)
    }

    /// Calls `work` with exclusive access to the index, and updates the properties that are stored outside the lock.
    pub(super) fn write<R>(&self, work: impl FnOnce(&mut VectorIndex) -> R) -> Result<R, Poisoned> {
        self.index.write(|index| {
            let result = work(index);
            self.live_len.store(index.live_len() as u32, Ordering::Relaxed);
            self.memory_bytes.store(index.memory_bytes() as u64, Ordering::Relaxed);
            self.is_resident.store(is_resident(index), Ordering::Relaxed);
            result
        })
    }

    /// Number of times that [`read`](Self::read) was called.
    pub(super) fn read_count(&self) -> u64 {
        self.index.read_count()
    }

    /// Whether `id` is the id of a row or, in an index of phrases, of a passage.
    #[must_use]
    pub fn has_id(&self, index: &VectorIndex, id: &str) -> bool {
        if self.has_phrases { !index.rows_of_passage(id).is_empty() } else { index.ord(id).is_some() }
    }

    /// Whether the index [has an id](Self::has_id), or `None` if the answer would take a long time because a change
    /// holds the lock or the table of ids must be built first.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn try_has_id(&self, id: &str) -> Result<Option<bool>, Poisoned> {
        let found = self.try_read(|index| index.has_id_table().then(|| self.has_id(index, id)))?;
        Ok(found.flatten())
    }

    /// Returns the row with this id or, in an index of phrases, all rows of the passage with this id.
    #[must_use]
    pub fn rows_of_id(&self, index: &VectorIndex, id: &str) -> Vec<u32> {
        if self.has_phrases { index.rows_of_passage(id) } else { index.ord(id).into_iter().collect() }
    }

    /// Returns a filter that allows the rows that `rows` returns. If one of these rows is replaced later, the filter
    /// allows the new row.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn filter(&self, rows: impl FnOnce(&VectorIndex) -> RowSet) -> Result<Arc<RowFilter>, Poisoned> {
        // The lock is held until the filter is in the list, so that the filter misses no change.
        self.read(|index| {
            let filter = Arc::new(RowFilter::new(rows(index)));
            self.filters.lock().push(&filter);
            filter
        })
    }
}

/// Whether searches are assumed not to wait for a disk: the vectors are few enough, or the index has allocated enough
/// memory to hold them.
fn is_resident(index: &VectorIndex) -> bool {
    let vector_bytes = index.row_count() * index.dim() * size_of::<f32>();
    vector_bytes <= MAX_RESIDENT_MAPPED_BYTES || index.memory_bytes() >= vector_bytes
}
