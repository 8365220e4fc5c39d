//! What a commit records about the whole collection. It is stored in the commit of the BM25 index, so that one atomic
//! rename switches all parts.

use dense::{HnswOptions, InnerProduct, Layout, Similarity};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The state of a collection after a commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    /// The id of the collection, which is stored in each of its parts.
    pub collection: String,
    /// The number of commits so far.
    pub generation: u64,
    /// The number of documents.
    pub documents: u64,
    /// The state of the vectors; `None` for a collection without vectors.
    pub vectors: Option<VectorState>,
    /// The caller's metadata: any JSON.
    pub metadata: Value,
}

/// Where the vectors are stored, and how they are searched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VectorState {
    pub dim: usize,
    /// `dot`, `cosine` or `l2`.
    pub similarity: String,
    pub graph: GraphState,
    /// The base: a file with vectors and their graph. `None` until the collection is first optimized, or first closed
    /// after many additions.
    pub base: Option<BaseState>,
    /// The log: a file with the vectors that were added since the base was written.
    pub log: LogState,
}

/// The options of the HNSW graph, as in [`HnswOptions`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct GraphState {
    pub m: usize,
    pub ef_construction: usize,
    pub seed: u64,
    /// `fast` or `compact`.
    pub layout: String,
}

/// The file with the vectors of older passages and their graph. It is written when the collection is
/// [optimized](crate::Collection::optimize), or [closed](crate::Collection::close) after many additions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BaseState {
    /// The name of the file.
    pub file: String,
    /// The number of rows in the file.
    pub rows: u64,
    /// The name of another file, with the ord of each row; `None` if every ord equals its row number.
    pub ords: Option<String>,
}

/// The file with the vectors of the passages that were added since the base was written. Row `i` of the log belongs to
/// the passage with the ord `first_ord + i`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogState {
    /// The name of the file.
    pub file: String,
    pub first_ord: u32,
    /// The number of committed rows. The file may have more.
    pub rows: u64,
    /// The CRC-32 of the committed rows.
    pub checksum: u32,
}

impl VectorState {
    /// Returns the similarity; `None` if the state is damaged.
    pub fn similarity(&self) -> Option<Similarity> {
        Similarity::from_name(&self.similarity)
    }
}

impl GraphState {
    pub fn new(options: &HnswOptions) -> Self {
        let HnswOptions { m, ef_construction, seed, layout, .. } = *options;
        Self { m, ef_construction, seed, layout: layout.name().to_owned() }
    }

    /// Returns the options of the graph; `None` if the state is damaged.
    pub fn options(&self) -> Option<HnswOptions> {
        Some(HnswOptions {
            m: self.m,
            ef_construction: self.ef_construction,
            seed: self.seed,
            keep_pruned: true,
            inner_product: InnerProduct::Graph,
            layout: Layout::from_name(&self.layout)?,
        })
    }
}
