use std::path::Path;

use control::Control;
use dense::{Error, FlatIndex, HnswIndex};
use ranking::Hit;

/// Either kind of index, as JavaScript sees them: one surface, of which a flat index takes no notice of what only a
/// graph needs.
#[allow(clippy::large_enum_variant, reason = "there is one an index, behind an `Arc`")]
pub enum AnyIndex {
    Flat(FlatIndex),
    Hnsw(HnswIndex),
}

/// The same call on either.
macro_rules! on {
    ($self:expr, $index:ident => $work:expr) => {
        match $self {
            AnyIndex::Flat($index) => $work,
            AnyIndex::Hnsw($index) => $work,
        }
    };
}

impl AnyIndex {
    pub fn dim(&self) -> usize {
        on!(self, index => index.dim())
    }

    pub fn live_len(&self) -> usize {
        on!(self, index => index.live_len())
    }

    pub fn similarity(&self) -> &'static str {
        on!(self, index => index.similarity().name())
    }

    pub fn metadata(&self) -> &serde_json::Value {
        on!(self, index => index.metadata())
    }

    pub fn memory_bytes(&self) -> usize {
        on!(self, index => index.memory_bytes())
    }

    pub fn id(&self, ord: u32) -> &str {
        on!(self, index => index.id(ord))
    }

    pub fn has(&self, id: &str) -> bool {
        on!(self, index => index.ord(id).is_some())
    }

    pub fn delete(&mut self, ids: &[String]) -> Result<(), Error> {
        on!(self, index => index.delete(ids))
    }

    pub fn save(&self, path: &Path) -> Result<(), Error> {
        on!(self, index => index.save(path))
    }

    pub fn add(
        &mut self,
        ids: Vec<String>,
        vectors: &[f32],
        threads: usize,
        control: &Control,
    ) -> Result<(), Error> {
        match self {
            Self::Flat(index) => {
                control.check()?;
                index.add(ids, vectors)
            }
            Self::Hnsw(index) => index.add(ids, vectors, threads, control),
        }
    }

    pub fn search(&self, query: &[f32], k: usize, ef: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        match self {
            Self::Flat(index) => index.search(query, k, control),
            Self::Hnsw(index) => index.search(query, k, ef, control),
        }
    }

    pub fn search_many(
        &self,
        queries: &[f32],
        k: usize,
        ef: usize,
        threads: usize,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        match self {
            Self::Flat(index) => index.search_many(queries, k, threads, control),
            Self::Hnsw(index) => index.search_many(queries, k, ef, threads, control),
        }
    }
}
