//! Builds index files from other files, so that no vector passes through JavaScript.

use std::path::Path;

use corpus::PassageStore;
use dense::HnswOptions;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use pipelines::{EncodeStoreOptions, build_hnsw};

use super::options::{parse_inner_product, parse_layout, parse_metadata, parse_storage};
use crate::call::{Control, control_or_new, spawn};
use crate::models::NativeEncoder;

/// Encodes the passages of the passage store `store` and writes their vectors to the flat index file `output`, with the
/// inner product as the similarity. A batch for the encoder has at most `batchTokens` tokens, padding included.
#[napi(ts_return_type = "Promise<void>", catch_unwind)]
#[allow(clippy::too_many_arguments)]
pub fn encode_store<'env>(
    env: &'env Env,
    encoder: &NativeEncoder,
    store: String,
    output: String,
    storage: String,
    batch_tokens: u32,
    metadata_json: String,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (encoder, control) = (encoder.encoder(), control_or_new(control));
    spawn(env, move || {
        let encoder = encoder?;
        let store = PassageStore::open(Path::new(&store))?;
        let options = EncodeStoreOptions {
            batch_tokens: batch_tokens as usize,
            storage: parse_storage(&storage)?,
            metadata: parse_metadata(&metadata_json)?,
        };
        Ok(pipelines::encode_store(&store, &encoder, Path::new(&output), &options, &control)?)
    })
}

/// Builds an HNSW index file with the vectors, ids and metadata of a flat index file. A `threadCount` of 0 means one
/// thread per CPU.
#[napi(ts_return_type = "Promise<void>", catch_unwind)]
#[allow(clippy::too_many_arguments)]
pub fn build_hnsw_from_flat<'env>(
    env: &'env Env,
    flat: String,
    output: String,
    m: u32,
    ef_construction: u32,
    seed: u32,
    inner_product: String,
    layout: String,
    thread_count: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = control_or_new(control);
    spawn(env, move || {
        let options = HnswOptions {
            m: m as usize,
            ef_construction: ef_construction as usize,
            seed: u64::from(seed),
            inner_product: parse_inner_product(&inner_product)?,
            layout: parse_layout(&layout)?,
            ..HnswOptions::default()
        };
        Ok(build_hnsw(Path::new(&flat), Path::new(&output), options, thread_count as usize, &control)?)
    })
}
