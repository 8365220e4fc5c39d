//! Where indexes come from: made, opened, or attached to in another thread.

use std::path::Path;

use dense::{FlatIndex, HnswIndex, HnswOptions};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::any_index::AnyIndex;
use super::index::NativeVectorIndex;
use super::opened::Opened;
use super::options::{
    NativeFlatOptions, NativeHnswOptions, metadata, parsed_inner_product, parsed_layout, parsed_similarity,
    parsed_storage,
};
use crate::error::Failure;
use crate::opening::NativeOpenOptions;
use crate::task::{call, spawn};

#[napi(catch_unwind)]
pub fn new_flat_index(options: NativeFlatOptions) -> napi::Result<NativeVectorIndex> {
    call(|| {
        let NativeFlatOptions { dim, similarity, storage, metadata: json } = options;
        let (similarity, storage) = (parsed_similarity(&similarity)?, parsed_storage(&storage)?);
        let index = FlatIndex::with_storage(dim as usize, similarity, storage, metadata(&json)?)?;
        Ok(NativeVectorIndex::new(AnyIndex::Flat(index), 0))
    })
}

#[napi(catch_unwind)]
pub fn new_hnsw_index(options: NativeHnswOptions) -> napi::Result<NativeVectorIndex> {
    call(|| {
        let chosen = HnswOptions {
            m: options.m as usize,
            ef_construction: options.ef_construction as usize,
            seed: u64::from(options.seed),
            inner_product: parsed_inner_product(&options.inner_product)?,
            layout: parsed_layout(&options.layout)?,
            ..HnswOptions::default()
        };
        let similarity = parsed_similarity(&options.similarity)?;
        let index = HnswIndex::new(options.dim as usize, similarity, chosen, metadata(&options.metadata)?)?;
        Ok(NativeVectorIndex::new(AnyIndex::Hnsw(index), options.threads as usize))
    })
}

#[napi(ts_return_type = "Promise<NativeVectorIndex>", catch_unwind)]
pub fn open_flat_index(env: &Env, path: String, options: NativeOpenOptions) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let index = FlatIndex::open_with(Path::new(&path), options.parse())?;
        Ok(NativeVectorIndex::new(AnyIndex::Flat(index), 0))
    })
}

#[napi(ts_return_type = "Promise<NativeVectorIndex>", catch_unwind)]
pub fn open_hnsw_index(env: &Env, path: String, options: NativeOpenOptions) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let index = HnswIndex::open_with(Path::new(&path), options.parse())?;
        Ok(NativeVectorIndex::new(AnyIndex::Hnsw(index), 0))
    })
}

/// The index with this token, if it is of this kind.
#[napi(catch_unwind)]
pub fn attach_index(kind: String, token: String) -> napi::Result<NativeVectorIndex> {
    call(|| {
        let opened = Opened::attached(&token).ok_or_else(|| {
            Failure::argument(
                "attach: expected a handle of an index that is open in this process, got one of none",
            )
        })?;
        let got = opened.kind;
        // Closed again where it is not returned.
        let index = NativeVectorIndex::of(opened);
        if got != kind {
            return Err(Failure::argument(format!(
                "attach: expected a handle of a {kind}, got one of a {got}"
            )));
        }
        Ok(index)
    })
}
