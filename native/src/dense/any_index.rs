use std::borrow::Cow;
use std::path::Path;

use control::Control;
use dense::{Error, Filter, FlatIndex, HnswIndex, Longest, Put, RowIds, RowSet};
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

/// What is wanted of a search, for one query or many.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub k: usize,
    pub ef: usize,
}

impl AnyIndex {
    /// As its class is called.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Flat(_) => "FlatIndex",
            Self::Hnsw(_) => "HnswIndex",
        }
    }

    pub fn dim(&self) -> usize {
        on!(self, index => index.dim())
    }

    pub fn len(&self) -> usize {
        on!(self, index => index.len())
    }

    pub fn live_len(&self) -> usize {
        on!(self, index => index.live_len())
    }

    pub fn similarity(&self) -> &'static str {
        on!(self, index => index.similarity().name())
    }

    /// How a flat index keeps its vectors.
    pub fn storage(&self) -> Option<&'static str> {
        match self {
            Self::Flat(index) => Some(index.storage().name()),
            Self::Hnsw(_) => None,
        }
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

    pub fn for_each_id(&self, hits: &[Hit], with: impl FnMut(&str)) {
        on!(self, index => index.for_each_id(hits, with));
    }

    pub fn ord(&self, id: &str) -> Option<u32> {
        on!(self, index => index.ord(id))
    }

    pub fn rows_of_passage(&self, passage: &str) -> Vec<u32> {
        on!(self, index => index.rows_of_passage(passage))
    }

    pub fn vector(&self, ord: u32) -> Cow<'_, [f32]> {
        match self {
            Self::Flat(index) => index.vector(ord),
            Self::Hnsw(index) => Cow::Borrowed(index.vector(ord)),
        }
    }

    pub fn ids_listed(&self) -> bool {
        on!(self, index => index.ids_listed())
    }

    pub fn verify(&self) -> Result<(), Error> {
        on!(self, index => index.verify())
    }

    pub fn live(&self) -> RowSet {
        on!(self, index => index.live())
    }

    pub fn row_ids(&self) -> RowIds {
        on!(self, index => index.row_ids())
    }

    pub fn delete(&mut self, ids: &[&str]) -> Result<(), Error> {
        on!(self, index => index.delete(ids))
    }

    pub fn save(&self, path: &Path) -> Result<(), Error> {
        on!(self, index => index.save(path))
    }

    pub fn check_rows(&self, put: Put, ids: &[String], vectors: &[f32]) -> Result<(), Error> {
        on!(self, index => index.check_rows(put, ids, vectors))
    }

    /// Rows that are staged in a few milliseconds, or less.
    pub fn first_slice(&self) -> usize {
        match self {
            Self::Flat(index) => ((1 << 20) / index.dim()).max(1),
            Self::Hnsw(_) => 32,
        }
    }

    /// These vectors are to be staged.
    pub fn expect(&mut self, longest: Longest) {
        match self {
            Self::Flat(_) => {}
            Self::Hnsw(index) => index.expect(longest),
        }
    }

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

    pub fn publish(&mut self) -> Vec<(u32, u32)> {
        on!(self, index => index.publish())
    }

    pub fn take_back(&mut self) {
        on!(self, index => index.take_back());
    }

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

    /// About how many rows a search scores.
    pub fn rows_scored(&self, Wanted { k, ef }: Wanted, allowed: Option<usize>) -> usize {
        match self {
            Self::Flat(index) => index.rows_scored(allowed),
            Self::Hnsw(index) => index.rows_scored(k, ef, allowed),
        }
    }

    pub fn search(
        &self,
        query: &[f32],
        Wanted { k, ef }: Wanted,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        match self {
            Self::Flat(index) => index.search_filtered(query, k, filter, control),
            Self::Hnsw(index) => index.search_filtered(query, k, ef, filter, control),
        }
    }

    pub fn search_many(
        &self,
        queries: &[f32],
        Wanted { k, ef }: Wanted,
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
