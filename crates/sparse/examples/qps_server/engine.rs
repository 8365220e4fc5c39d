//! The interface through which the server uses a search engine.

use std::error::Error;
use std::path::Path;

use serde::Deserialize;

/// The result of an operation that may fail for any reason.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// Number of bytes of memory for an index writer. The benchmark gives Lucene about the same (256 MiB).
pub const WRITER_MEMORY: usize = 256_000_000;

/// What the lines of a passage file contain.
#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Analysis {
    /// `id<TAB>tokens`, with spaces between tokens.
    Tokens,
    /// `id<TAB>text<TAB>title`, which must be analyzed.
    English,
}

/// A passage id and a score.
pub type ScoredId = (String, f32);

/// A search engine. It has at most one index open: the last one that was opened.
pub trait Engine: Sync {
    /// The hits of one query, as the engine returns them. Ids are looked up outside of the measured time.
    type Hits: Send;
    /// What the engine can do with several threads: `query` (several queries at the same time, one per thread) and
    /// `batch` (one batch on several threads).
    const THREADS: &[&str];

    /// The version of the engine. The benchmark reuses an index only if it was built by the same version.
    fn version(&self) -> String;
    /// Indexes the passages of a file, and writes the index to a folder.
    fn build(&self, passages: &Path, folder: &Path, analysis: Analysis) -> Outcome<()>;
    /// Opens the index in a folder.
    fn open(&mut self, folder: &Path) -> Outcome<()>;
    /// Returns the best `k` hits, best first.
    fn search(&self, query: &str, k: usize) -> Outcome<Self::Hits>;
    /// Returns the best `k` hits for each query. Searches on `threads` threads.
    fn search_batch(&self, queries: &[&str], k: usize, threads: usize) -> Outcome<Vec<Self::Hits>>;
    /// Looks up the passage ids of hits.
    fn with_ids(&self, hits: &Self::Hits) -> Outcome<Vec<ScoredId>>;
}
