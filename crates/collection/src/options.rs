//! The options with which a collection is created and opened.

use dense::{HnswOptions, Similarity};
use serde_json::Value;
use sparse::{Analyzer, WriterOptions};

/// What a new collection consists of.
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
    /// The dimension.
    pub dim: usize,
    /// How scores are computed.
    pub similarity: Similarity,
    /// How the graph is built. [`HnswOptions::inner_product`] and [`HnswOptions::keep_pruned`] must have their defaults.
    pub graph: HnswOptions,
}

/// How a collection is opened.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenOptions {
    /// Whether index files are read into memory instead of being mapped, and whether all checksums are compared.
    pub files: storage::OpenOptions,
    /// The options of the writer, which is opened by the first change. [`WriterOptions::overwrite`] has no effect.
    pub writer: WriterOptions,
}

/// What to do with documents whose ids the collection already has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// Refuse them.
    Add,
    /// Replace them.
    Upsert,
}

impl Put {
    /// Returns the name of the operation, for error messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Upsert => "upsert",
        }
    }
}
