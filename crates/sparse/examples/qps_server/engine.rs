//! What the server needs from a search engine.

use std::error::Error;
use std::path::Path;

use serde::Deserialize;

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// Bytes of memory for an index writer: what Lucene is given.
pub const MEMORY: usize = 256_000_000;

/// What a passage file holds.
#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Analysis {
    /// `id<TAB>tokens`, to be split at spaces.
    Tokens,
    /// `id<TAB>text<TAB>title`, to be analysed.
    English,
}

/// A passage id and a score.
pub type NamedHit = (String, f32);

/// An engine, which holds open what it searched last.
pub trait Engine: Sync {
    /// Of one search, or of a batch of them; in the engine's own terms.
    type Hits: Send;
    /// What can be done on several threads, as the protocol has it.
    const THREADS: &[&str];

    fn version(&self) -> String;
    fn build(&self, passages: &Path, folder: &Path, analysis: Analysis) -> Outcome<()>;
    fn open(&mut self, folder: &Path) -> Outcome<()>;
    fn search(&self, query: &str, k: usize) -> Outcome<Self::Hits>;
    fn search_batch(&self, queries: &[&str], k: usize, threads: usize) -> Outcome<Vec<Self::Hits>>;
    fn named(&self, hits: &Self::Hits) -> Outcome<Vec<NamedHit>>;
}
