//! Creates and opens vector indexes, and attaches to indexes that other threads opened.

use std::path::Path;

use dense::{FlatIndex, HnswIndex, HnswOptions};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serving::{SharedIndex, VectorIndex};

use super::index::NativeVectorIndex;
use super::options::{
    NativeFlatOptions, NativeHnswOptions, parse_inner_product, parse_layout, parse_metadata,
    parse_similarity, parse_storage,
};
use crate::call::{Failure, call_sync, spawn};
use crate::files::NativeOpenOptions;

#[napi(catch_unwind)]
pub fn new_flat_index(options: NativeFlatOptions) -> napi::Result<NativeVectorIndex> {
    call_sync(|| {
        let NativeFlatOptions { dim, similarity, storage, metadata: json } = options;
        let (similarity, storage) = (parse_similarity(&similarity)?, parse_storage(&storage)?);
        let index = FlatIndex::with_storage(dim as usize, similarity, storage, parse_metadata(&json)?)?;
        Ok(opened(VectorIndex::Flat(index), 0))
    })
}

#[napi(catch_unwind)]
pub fn new_hnsw_index(options: NativeHnswOptions) -> napi::Result<NativeVectorIndex> {
    call_sync(|| {
        let chosen = HnswOptions {
            m: options.m as usize,
            ef_construction: options.ef_construction as usize,
            seed: u64::from(options.seed),
            inner_product: parse_inner_product(&options.inner_product)?,
            layout: parse_layout(&options.layout)?,
            ..HnswOptions::default()
        };
        let similarity = parse_similarity(&options.similarity)?;
        let index =
            HnswIndex::new(options.dim as usize, similarity, chosen, parse_metadata(&options.metadata)?)?;
        Ok(opened(VectorIndex::Hnsw(index), options.threads as usize))
    })
}

#[napi(ts_return_type = "Promise<NativeVectorIndex>", catch_unwind)]
pub fn open_flat_index(env: &Env, path: String, options: NativeOpenOptions) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let index = FlatIndex::open_with(Path::new(&path), options.parse())?;
        Ok(opened(VectorIndex::Flat(index), 0))
    })
}

#[napi(ts_return_type = "Promise<NativeVectorIndex>", catch_unwind)]
pub fn open_hnsw_index(env: &Env, path: String, options: NativeOpenOptions) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let index = HnswIndex::open_with(Path::new(&path), options.parse())?;
        Ok(opened(VectorIndex::Hnsw(index), 0))
    })
}

/// Opens another handle to an open index, given a token from `NativeVectorIndex.share`. `kind` is `FlatIndex` or
/// `HnswIndex`; fails if the index is of the other kind.
#[napi(catch_unwind)]
pub fn attach_index(kind: String, token: String) -> napi::Result<NativeVectorIndex> {
    call_sync(|| {
        let shared = SharedIndex::attach(&token).ok_or_else(|| {
            Failure::argument(
                "attach: expected a handle of an index that is open in this process, got an unknown handle",
            )
        })?;
        let actual_kind = shared.kind;
        // If the kind is wrong, dropping this value closes the handle.
        let index = NativeVectorIndex::new(shared);
        if actual_kind != kind {
            return Err(Failure::argument(format!(
                "attach: expected a handle of a {kind}, got one of a {actual_kind}"
            )));
        }
        Ok(index)
    })
}

/// Makes the first handle to an index. `threads` is the number of threads that insert new rows into an HNSW graph; 0
/// means one per CPU. A flat index does not use this number.
fn opened(index: VectorIndex, threads: usize) -> NativeVectorIndex {
    NativeVectorIndex::new(SharedIndex::new(index, threads))
}
