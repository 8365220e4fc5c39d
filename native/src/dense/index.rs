use std::path::Path;
use std::sync::Arc;

use dense::{FlatIndex, HnswIndex, HnswOptions, InnerProduct, Similarity};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use ranking::ScoredId;

use super::any_index::AnyIndex;
use super::batch::VectorBatch;
use super::opened::Opened;
use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::run::{Ids, NativeRun, named};
use crate::task::{Outcome, call, spawn};

/// A flat or an HNSW index.
#[napi]
pub struct NativeVectorIndex {
    inner: Option<Arc<Opened>>,
    /// Threads that linking a graph takes; 0 is one for each core.
    pub(super) threads: usize,
}

#[napi(object)]
pub struct NativeFlatOptions {
    pub dim: u32,
    pub similarity: String,
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
    pub threads: u32,
}

#[napi(catch_unwind)]
pub fn new_flat_index(options: NativeFlatOptions) -> napi::Result<NativeVectorIndex> {
    call(|| {
        let NativeFlatOptions { dim, similarity, metadata: json } = options;
        let index = FlatIndex::new(dim as usize, parsed_similarity(&similarity)?, metadata(&json)?)?;
        Ok(NativeVectorIndex::of(AnyIndex::Flat(index), 0))
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
            ..HnswOptions::default()
        };
        let similarity = parsed_similarity(&options.similarity)?;
        let index = HnswIndex::new(options.dim as usize, similarity, chosen, metadata(&options.metadata)?)?;
        Ok(NativeVectorIndex::of(AnyIndex::Hnsw(index), options.threads as usize))
    })
}

#[napi(ts_return_type = "Promise<NativeVectorIndex>", catch_unwind)]
pub fn open_flat_index(env: &Env, path: String) -> napi::Result<Object<'_>> {
    spawn(env, move || Ok(NativeVectorIndex::of(AnyIndex::Flat(FlatIndex::open(Path::new(&path))?), 0)))
}

#[napi(ts_return_type = "Promise<NativeVectorIndex>", catch_unwind)]
pub fn open_hnsw_index(env: &Env, path: String) -> napi::Result<Object<'_>> {
    spawn(env, move || Ok(NativeVectorIndex::of(AnyIndex::Hnsw(HnswIndex::open(Path::new(&path))?), 0)))
}

impl NativeVectorIndex {
    fn of(index: AnyIndex, threads: usize) -> Self {
        Self { inner: Some(Opened::new(index)), threads }
    }

    pub(super) fn opened(&self) -> Outcome<Arc<Opened>> {
        self.inner.clone().ok_or_else(|| Failure::closed("index"))
    }
}

#[napi]
impl NativeVectorIndex {
    #[napi(getter, catch_unwind)]
    pub fn dim(&self) -> napi::Result<u32> {
        Ok(self.opened()?.dim)
    }

    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> napi::Result<u32> {
        Ok(self.opened()?.size())
    }

    #[napi(getter, catch_unwind)]
    pub fn similarity(&self) -> napi::Result<String> {
        Ok(self.opened()?.similarity.to_owned())
    }

    #[napi(getter, catch_unwind)]
    pub fn metadata(&self) -> napi::Result<String> {
        Ok(self.opened()?.metadata.clone())
    }

    #[napi(getter, catch_unwind)]
    pub fn memory_bytes(&self) -> napi::Result<f64> {
        Ok(self.opened()?.bytes())
    }

    /// Empties the batch.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn add<'env>(
        &self,
        env: &'env Env,
        batch: &mut VectorBatch,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control, threads) = (self.opened(), or_new(control), self.threads);
        let VectorBatch { ids, data } = std::mem::take(batch);
        spawn(env, move || {
            control.set_total(ids.len() as u64);
            index?.write(|index| Ok(index.add(ids, &data, threads, &control)?))
        })
    }

    /// Resolves to how many of the ids were there.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn delete<'env>(&self, env: &'env Env, ids: Vec<String>) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            index?.write(|index| {
                let mut seen = std::collections::HashSet::new();
                let known: Vec<String> =
                    ids.into_iter().filter(|id| index.has(id) && seen.insert(id.clone())).collect();
                index.delete(&known)?;
                Ok(known.len() as u32)
            })
        })
    }

    /// `ef` is for graphs.
    #[napi(ts_return_type = "Promise<Hits>", catch_unwind)]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: &[f32],
        k: u32,
        ef: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control, query) = (self.opened(), or_new(control), query.to_vec());
        spawn(env, move || {
            index?.read(|index| {
                let hits = index.search(&query, k as usize, ef as usize, &control)?;
                let ids: Ids = hits.iter().map(|hit| index.id(hit.ord)).collect();
                Ok(ids.with_scores(hits.iter().map(|hit| hit.score).collect()))
            })
        })
    }

    /// `ef` is for graphs. Empties the batch, whose ids name the queries.
    #[napi(ts_return_type = "Promise<NativeRun>", catch_unwind)]
    pub fn search_many<'env>(
        &self,
        env: &'env Env,
        batch: &mut VectorBatch,
        k: u32,
        ef: u32,
        threads: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control) = (self.opened(), or_new(control));
        let VectorBatch { ids: queries, data } = std::mem::take(batch);
        spawn(env, move || {
            index?.read(|index| {
                control.set_total(queries.len() as u64);
                let lists = index.search_many(&data, k as usize, ef as usize, threads as usize, &control)?;
                let lists = lists.into_iter().map(|hits| {
                    let scored =
                        |hit: &ranking::Hit| ScoredId { id: index.id(hit.ord).to_owned(), score: hit.score };
                    hits.iter().map(scored).collect()
                });
                Ok(NativeRun::from(named(queries, lists)?))
            })
        })
    }

    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn save<'env>(&self, env: &'env Env, path: String) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || index?.read(|index| Ok(index.save(Path::new(&path))?)))
    }

    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.inner = None;
    }
}

pub fn parsed_similarity(name: &str) -> Outcome<Similarity> {
    Similarity::from_name(name)
        .ok_or_else(|| Failure::argument(format!("similarity: expected dot, cosine or l2, got \"{name}\"")))
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
