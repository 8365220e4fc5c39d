use std::path::Path;
use std::sync::Arc;

use dense::Put;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::any_index::{AnyIndex, Wanted};
use super::batch::VectorBatch;
use super::filter::{NativeFilter, rows_of};
use super::opened::Opened;
use super::search::{self, Queries};
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

impl NativeVectorIndex {
    pub(super) fn new(index: AnyIndex, threads: usize) -> Self {
        Self::of(Opened::new(index, threads))
    }

    pub(super) fn of(opened: Arc<Opened>) -> Self {
        Self { inner: Some(opened) }
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
        let (ids, data) = batch.take();
        self.change(env, move |index| index.put(put, ids.apart(), data, &control))
    }

    /// Empties the batch. Resolves to how many of the ids were there.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn delete<'env>(&self, env: &'env Env, batch: &mut VectorBatch) -> napi::Result<Object<'env>> {
        let (ids, _) = batch.take();
        self.change(env, move |index| index.delete(&ids.apart()))
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

    /// `ef` is for graphs. Empties the batch, whose ids name the queries; without ids, their positions do. With `passages` hits
    /// have the ids of their passages, not of their phrases. With `each_phrase` the best phrases are the hits, not the best
    /// passages.
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
        passages: Option<bool>,
        each_phrase: Option<bool>,
    ) -> napi::Result<Object<'env>> {
        let index = self.opened();
        let rows = index.as_ref().map_or(Ok(None), |index| rows_of(index, filter));
        let (control, how) = (or_new(control), (wanted(k, ef), threads as usize));
        let (ids, data) = batch.take();
        spawn(env, move || {
            let queries = Queries {
                names: ids.apart(),
                data: &data,
                passages: passages == Some(true),
                each_phrase: each_phrase == Some(true),
            };
            search::search_many(&*index?, queries, how, rows?.as_deref(), &control)
        })
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
