//! Options of indexes, as JavaScript gives them.

use dense::{InnerProduct, Layout, Similarity, Storage};
use napi_derive::napi;

use crate::error::Failure;
use crate::task::Outcome;

#[napi(object)]
pub struct NativeFlatOptions {
    pub dim: u32,
    pub similarity: String,
    pub storage: String,
    pub metadata: String,
}

#[napi(object)]
pub struct NativeHnswOptions {
    pub dim: u32,
    pub similarity: String,
    pub metadata: String,
    pub m: u32,
    pub ef_construction: u32,
    pub seed: u32,
    pub inner_product: String,
    pub layout: String,
    pub threads: u32,
}

pub fn parsed_similarity(name: &str) -> Outcome<Similarity> {
    Similarity::from_name(name)
        .ok_or_else(|| Failure::argument(format!("similarity: expected dot, cosine or l2, got \"{name}\"")))
}

pub fn parsed_storage(name: &str) -> Outcome<Storage> {
    Storage::from_name(name).ok_or_else(|| {
        Failure::argument(format!("storage: expected f32, f16 or int8Filtered, got \"{name}\""))
    })
}

pub fn parsed_layout(name: &str) -> Outcome<Layout> {
    Layout::from_name(name)
        .ok_or_else(|| Failure::argument(format!("layout: expected fast or compact, got \"{name}\"")))
}

pub fn parsed_inner_product(name: &str) -> Outcome<InnerProduct> {
    InnerProduct::from_name(name).ok_or_else(|| {
        Failure::argument(format!("innerProduct: expected graph or augmentedL2, got \"{name}\""))
    })
}

pub fn metadata(json: &str) -> Outcome<serde_json::Value> {
    serde_json::from_str(json)
        .map_err(|error| Failure::argument(format!("metadata: expected JSON, got {error}")))
}
