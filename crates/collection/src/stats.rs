//! What a commit consists of.

/// Numbers about a commit.
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
    /// The dimension of the vectors; `None` without vectors.
    pub dim: Option<usize>,
    /// The number of vectors that are not in the graph yet. Searches scan them.
    pub pending: usize,
    /// The bytes of vectors and graph in memory, without those that are mapped from files.
    pub memory_bytes: usize,
}
