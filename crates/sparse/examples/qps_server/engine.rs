//! The interface of a search engine, as the server uses it.

use std::error::Error;
use std::path::Path;

use serde::Deserialize;

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// Bytes of memory for an index writer. The benchmark gives Lucene the same.
pub const MEMORY: usize = 256_000_000;

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
pub type NamedHit = (String, f32);

/// A search engine. It has one index open: the last one that was opened.
pub trait Engine: Sync {
    /// The hits of one query, as the engine returns them. Ids are looked up outside of the measured time.
    type Hits: Send;
    /// What the engine can do with several threads: `query` (searches at the same time) and `batch` (a batch on several
    /// threads).
    const THREADS: &[&str];

    fn version(&self) -> String;
    /// Builds an index of a file of passages in a folder.
    fn build(&self, passages: &Path, folder: &Path, analysis: Analysis) -> Outcome<()>;
    fn open(&mut self, folder: &Path) -> Outcome<()>;
    fn search(&self, query: &str, k: usize) -> Outcome<Self::Hits>;
    fn search_batch(&self, queries: &[&str], k: usize, threads: usize) -> Outcome<Vec<Self::Hits>>;
    /// Looks up the passage ids of hits.
    fn named(&self, hits: &Self::Hits) -> Outcome<Vec<NamedHit>>;
}
