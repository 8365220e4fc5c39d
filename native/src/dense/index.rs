use std::path::Path;
use std::sync::Arc;

use dense::{FlatIndex, HnswIndex, HnswOptions, InnerProduct, Layout, Put, Similarity, Storage};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::any_index::{AnyIndex, Wanted};
use super::batch::VectorBatch;
use super::filter::{NativeFilter, rows_of};
use super::opened::Opened;
use super::search;
use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::hits::{Joined, Room};
use crate::pool;
use crate::task::{Outcome, call, spawn, spawn_by};

/// A flat or an HNSW index. Other objects, also of other threads, may be of the same one.
#[napi]
pub struct NativeVectorIndex {
    inner: Option<Arc<Opened>>,
}

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

#[napi(catch_unwind)]
pub fn new_flat_index(options: NativeFlatOptions) -> napi::Result<NativeVectorIndex> {
    call(|| {
        let NativeFlatOptions { dim, similarity, storage, metadata: json } = options;
        let (similarity, storage) = (parsed_similarity(&similarity)?, parsed_storage(&storage)?);
        let index = FlatIndex::with_storage(dim as usize, similarity, storage, metadata(&json)?)?;
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
            layout: parsed_layout(&options.layout)?,
            ..HnswOptions::default()
        };
        let similarity = parsed_similarity(&options.similarity)?;
        let index = HnswIndex::new(options.dim as usize, similarity, chosen, metadata(&options.metadata)?)?;
        Ok(NativeVectorIndex::of(AnyIndex::Hnsw(index), options.threads as usize))
    })
}

#[napi(ts_return_type = "Promise<NativeVectorIndex>", catch_unwind)]
pub fn open_flat_index(env: &Env, path: String, in_memory: bool) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let mut index = FlatIndex::open(Path::new(&path))?;
        if in_memory {
            index.load();
        }
        Ok(NativeVectorIndex::of(AnyIndex::Flat(index), 0))
    })
}

#[napi(ts_return_type = "Promise<NativeVectorIndex>", catch_unwind)]
pub fn open_hnsw_index(env: &Env, path: String, in_memory: bool) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let mut index = HnswIndex::open(Path::new(&path))?;
        if in_memory {
            index.load();
        }
        Ok(NativeVectorIndex::of(AnyIndex::Hnsw(index), 0))
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
        let index = NativeVectorIndex { inner: Some(opened) };
        if got != kind {
            return Err(Failure::argument(format!(
                "attach: expected a handle of a {kind}, got one of a {got}"
            )));
        }
        Ok(index)
    })
}

impl NativeVectorIndex {
    fn of(index: AnyIndex, threads: usize) -> Self {
        Self { inner: Some(Opened::new(index, threads)) }
    }

    pub(super) fn opened(&self) -> Outcome<Arc<Opened>> {
        self.inner.clone().ok_or_else(|| Failure::closed("index"))
    }

    /// A promise of what `work` returns, which is done after the changes asked for before.
    pub(super) fn change<'env, T: napi::bindgen_prelude::ToNapiValue + Send + 'static>(
        &self,
        env: &'env Env,
        work: impl FnOnce(&Opened) -> Outcome<T> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        match self.opened() {
            Ok(index) => {
                let changes = Arc::clone(&index.changes);
                spawn_by(env, move |start| changes.run(start), move || work(&index))
            }
            Err(closed) => spawn::<T, _>(env, move || Err(closed)),
        }
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

    /// Of a flat index alone.
    #[napi(getter, catch_unwind)]
    pub fn storage(&self) -> napi::Result<Option<&'static str>> {
        Ok(self.opened()?.storage)
    }

    #[napi(getter, catch_unwind)]
    pub fn metadata(&self) -> napi::Result<String> {
        Ok(self.opened()?.metadata.clone())
    }

    #[napi(getter, catch_unwind)]
    pub fn memory_bytes(&self) -> napi::Result<f64> {
        Ok(self.opened()?.bytes())
    }

    /// A name by which `attachIndex` finds this index, in any thread.
    #[napi(catch_unwind)]
    pub fn share(&self) -> napi::Result<String> {
        call(|| Ok(self.opened()?.token()))
    }

    /// Empties the batch.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn add<'env>(
        &self,
        env: &'env Env,
        batch: &mut VectorBatch,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        self.put(env, Put::Add, batch, control)
    }

    /// Empties the batch. Unknown ids are refused, or added.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn update<'env>(
        &self,
        env: &'env Env,
        batch: &mut VectorBatch,
        upsert: bool,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        self.put(env, if upsert { Put::Upsert } else { Put::Update }, batch, control)
    }

    fn put<'env>(
        &self,
        env: &'env Env,
        put: Put,
        batch: &mut VectorBatch,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let control = or_new(control);
        let VectorBatch { ids, data } = std::mem::take(batch);
        self.change(env, move |index| index.put(put, ids, &data, &control))
    }

    /// Empties the batch. Resolves to how many of the ids were there.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn delete<'env>(&self, env: &'env Env, batch: &mut VectorBatch) -> napi::Result<Object<'env>> {
        let ids = std::mem::take(batch).ids;
        self.change(env, move |index| index.delete(&ids))
    }

    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn compact<'env>(&self, env: &'env Env, control: Option<&Control>) -> napi::Result<Object<'env>> {
        let control = or_new(control);
        self.change(env, move |index| index.compact(&control))
    }

    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn save<'env>(&self, env: &'env Env, path: String) -> napi::Result<Object<'env>> {
        self.change(env, move |index| index.read(|index| Ok(index.save(Path::new(&path))?)))
    }

    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn verify<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || index?.read(|index| Ok(index.verify()?)))
    }

    /// The hits here and now, `into` memory: see [`Ids::put`](crate::hits::Ids::put). None if that takes longer than a tenth
    /// of a millisecond or so, or if there is no room. `ef` is for graphs.
    #[napi(ts_return_type = "string | Array<string> | null", catch_unwind)]
    pub fn search_if_quick(
        &self,
        query: &[f32],
        k: u32,
        ef: u32,
        filter: Option<&NativeFilter>,
        #[napi(ts_arg_type = "Uint32Array")] into: Room<'_>,
    ) -> napi::Result<Option<Joined>> {
        call(|| {
            let index = self.opened()?;
            let rows = rows_of(&index, filter)?;
            search::search_if_quick(&index, query, wanted(k, ef), rows.as_deref(), into)
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
        filter: Option<&NativeFilter>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let index = self.opened();
        let rows = index.as_ref().map_or(Ok(None), |index| rows_of(index, filter));
        let (control, query) = (or_new(control), query.to_vec());
        spawn(env, move || search::search(&*index?, &query, wanted(k, ef), rows?.as_deref(), &control))
    }

    /// `ef` is for graphs. Empties the batch, whose ids name the queries; without ids, their positions do.
    #[napi(ts_return_type = "Promise<NativeRun>", catch_unwind)]
    #[allow(clippy::too_many_arguments)]
    pub fn search_many<'env>(
        &self,
        env: &'env Env,
        batch: &mut VectorBatch,
        k: u32,
        ef: u32,
        threads: u32,
        filter: Option<&NativeFilter>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let index = self.opened();
        let rows = index.as_ref().map_or(Ok(None), |index| rows_of(index, filter));
        let (control, how) = (or_new(control), (wanted(k, ef), threads as usize));
        let VectorBatch { ids, data } = std::mem::take(batch);
        spawn(env, move || search::search_many(&*index?, ids, &data, how, rows?.as_deref(), &control))
    }

    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.let_go();
    }
}

impl NativeVectorIndex {
    fn let_go(&mut self) {
        // Gigabytes take a while to free: not on the JavaScript thread. Without another, on this one.
        if let Some(index) = self.inner.take() {
            index.detach();
            let _ = pool::run(Box::new(move || drop(index)));
        }
    }
}

impl Drop for NativeVectorIndex {
    fn drop(&mut self) {
        self.let_go();
    }
}

fn wanted(k: u32, ef: u32) -> Wanted {
    Wanted { k: k as usize, ef: ef as usize }
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
