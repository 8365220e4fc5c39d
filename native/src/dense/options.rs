//! Options of vector indexes, as JavaScript passes them.

use dense::{InnerProduct, Layout, Similarity, Storage};
use napi_derive::napi;

use crate::call::{CallResult, Failure};

/// Options of a flat index. `similarity` and `storage` are names (see the functions below); `metadata` is JSON.
#[napi(object)]
pub struct NativeFlatOptions {
    pub dim: u32,
    pub similarity: String,
    pub storage: String,
    pub metadata: String,
}

/// Options of an HNSW index. `similarity`, `inner_product` and `layout` are names (see the functions below); `metadata`
/// is JSON.
#[napi(object)]
pub struct NativeHnswOptions {
    pub dim: u32,
    pub similarity: String,
    pub metadata: String,
    pub m: u32,
    pub ef_construction: u32,
    /// Determines the random levels of the rows.
    pub seed: u32,
    /// How the graph represents inner products, for the similarity `dot`: which rows count as near each other.
    pub inner_product: String,
    /// What is stored per row besides its vector and its neighbors.
    pub layout: String,
    /// Number of threads that insert new rows into the graph; 0 means one per CPU.
    pub threads: u32,
}

pub fn parse_similarity(name: &str) -> CallResult<Similarity> {
    Similarity::from_name(name)
        .ok_or_else(|| Failure::argument(format!("similarity: expected dot, cosine or l2, got \"{name}\"")))
}

pub fn parse_storage(name: &str) -> CallResult<Storage> {
    Storage::from_name(name).ok_or_else(|| {
        Failure::argument(format!("storage: expected f32, f16 or int8Rescored, got \"{name}\""))
    })
}

pub fn parse_layout(name: &str) -> CallResult<Layout> {
    Layout::from_name(name)
        .ok_or_else(|| Failure::argument(format!("layout: expected fast or compact, got \"{name}\"")))
}

pub fn parse_inner_product(name: &str) -> CallResult<InnerProduct> {
    InnerProduct::from_name(name).ok_or_else(|| {
        Failure::argument(format!("innerProduct: expected graph or augmentedL2, got \"{name}\""))
    })
}

pub fn parse_metadata(json: &str) -> CallResult<serde_json::Value> {
    serde_json::from_str(json)
        .map_err(|error| Failure::argument(format!("metadata: expected valid JSON: {error}")))
}
