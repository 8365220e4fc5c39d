//! The options with which a collection is created and opened.

use dense::{HnswOptions, Similarity};
use serde_json::Value;
use sparse::{Analyzer, WriterOptions};

/// The options of a new collection.
#[derive(Debug, Clone)]
pub struct CreateOptions {
    /// How texts are turned into terms for BM25.
    pub analyzer: Analyzer,
    /// The vectors of passages; `None` for a collection without vectors.
    pub vectors: Option<VectorOptions>,
    /// The caller's metadata: any JSON, such as the identity of the encoder.
    pub metadata: Value,
}

/// The vectors of a new collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorOptions {
    /// The number of dimensions of each vector.
    pub dim: usize,
    /// How vectors are compared.
    pub similarity: Similarity,
    /// How the HNSW graph is built. [`HnswOptions::inner_product`] and [`HnswOptions::keep_pruned`] must have their
    /// default values.
    pub graph: HnswOptions,
}

/// How a collection is opened.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenOptions {
    /// Whether index files are read into memory instead of being memory-mapped, and whether all checksums are verified.
    pub files: storage::OpenOptions,
    /// The options of the writer, which the first change opens. [`WriterOptions::overwrite`] has no effect.
    pub writer: WriterOptions,
}

/// What to do with documents whose ids the collection already has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// Refuse the whole call.
    Add,
    /// Replace them.
    Upsert,
}

impl Put {
    /// Returns the name of the operation as it appears in error messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Upsert => "upsert",
        }
    }
}
