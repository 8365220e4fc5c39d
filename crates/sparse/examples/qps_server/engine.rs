//! What the server needs from a search engine.

use std::error::Error;
use std::path::Path;

use serde::Deserialize;

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// Bytes of memory for an index writer, as much as Lucene gets.
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

/// A search engine. It keeps the index open that it opened last.
pub trait Engine: Sync {
    /// The hits of one query, as the engine returns them.
    type Hits: Send;
    /// What the engine can do with several threads, in the words of the protocol.
    const THREADS: &[&str];

    fn version(&self) -> String;
    fn build(&self, passages: &Path, folder: &Path, analysis: Analysis) -> Outcome<()>;
    fn open(&mut self, folder: &Path) -> Outcome<()>;
    fn search(&self, query: &str, k: usize) -> Outcome<Self::Hits>;
    fn search_batch(&self, queries: &[&str], k: usize, threads: usize) -> Outcome<Vec<Self::Hits>>;
    fn named(&self, hits: &Self::Hits) -> Outcome<Vec<NamedHit>>;
}
