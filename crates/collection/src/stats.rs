//! Statistics of a collection.

/// Statistics of the commit that searches see, and of its vectors in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// The number of commits so far.
    pub generation: u64,
    /// The number of documents.
    pub documents: u64,
    /// The number of passages.
    pub passages: u64,
    /// The number of segments of the BM25 index.
    pub segments: usize,
    /// The number of dimensions of each vector; `None` without vectors.
    pub dim: Option<usize>,
    /// The number of vectors that are not in the HNSW graph yet. Searches scan them.
    pub pending: usize,
    /// The number of bytes of vectors and graph in memory, not counting those that are memory-mapped from files.
    pub memory_bytes: usize,
}
