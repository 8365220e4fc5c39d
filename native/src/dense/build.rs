//! Builds index files from other files. No vector passes through JavaScript.

use std::path::Path;

use corpus::PassageStore;
use dense::{FlatIndex, FlatWriter, HnswIndex, HnswOptions, Similarity};
use inference::{EncodeOptions, EncoderInput};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::options::{parse_inner_product, parse_layout, parse_metadata, parse_storage};
use crate::call::{Control, control_or_new, spawn};
use crate::models::NativeEncoder;

/// Passages that are encoded together: many enough to batch those of similar length, few enough for memory.
const PASSAGES_PER_CALL: u32 = 1024;

/// Encodes the passages of a store into a flat index file.
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
        let storage = parse_storage(&storage)?;
        let mut writer =
            FlatWriter::with_storage(Path::new(&output), encoder.dim(), Similarity::Dot, storage)?;
        let size = store.len();
        control.set_total(u64::from(size));
        for start in (0..size).step_by(PASSAGES_PER_CALL as usize) {
            let passages: Vec<_> = (start..size.min(start + PASSAGES_PER_CALL))
                .map(|ord| store.get(ord))
                .collect::<Result<_, _>>()?;
            let inputs: Vec<EncoderInput<'_>> = passages
                .iter()
                .map(|passage| EncoderInput { title: passage.title, text: passage.text })
                .collect();
            let options = EncodeOptions { first_input: start as usize, batch_tokens: batch_tokens as usize };
            let vectors = encoder.encode(&inputs, &options, &control)?;
            let ids: Vec<&str> = passages.iter().map(|passage| passage.id).collect();
            writer.push(&ids, &vectors)?;
        }
        Ok(writer.finish(&parse_metadata(&metadata_json)?)?)
    })
}

/// Builds an HNSW index file from a flat index file, with the same vectors, ids and metadata.
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
        let flat = FlatIndex::open(Path::new(&flat))?;
        let options = HnswOptions {
            m: m as usize,
            ef_construction: ef_construction as usize,
            seed: u64::from(seed),
            inner_product: parse_inner_product(&inner_product)?,
            layout: parse_layout(&layout)?,
            ..HnswOptions::default()
        };
        control.set_total(flat.len() as u64);
        let index = HnswIndex::from_flat(flat, options, thread_count as usize, &control)?;
        control.check()?;
        Ok(index.save(Path::new(&output))?)
    })
}
