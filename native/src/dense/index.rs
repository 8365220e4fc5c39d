//! The JavaScript object of an open vector index: its properties, changes and searches.

use std::path::Path;
use std::sync::Arc;

use dense::Put;
use napi::Env;
use napi::bindgen_prelude::{Object, ToNapiValue};
use napi_derive::napi;
use ranking::Hit;
use serving::{BatchParams, QueryBatch, RowFilter, SearchParams, SharedIndex, VectorIndex};

use super::filter::NativeFilter;
use super::vector_batch::VectorBatch;
use crate::call::{
    CallResult, Control, Failure, call_sync, control_or_new, drop_elsewhere, spawn, spawn_on, threads,
};
use crate::runs::{IdsOfIndex, JavaScriptIds, NativeRun, PassageIdBuilder, U32Buffer};

/// A handle of a flat or an HNSW index. Several handles may share one index, even in different worker threads.
#[napi]
pub struct NativeVectorIndex {
    /// `None` once the handle is closed.
    shared: Option<Arc<SharedIndex>>,
    known_ids: Arc<JavaScriptIds>,
}

impl NativeVectorIndex {
    pub(super) fn new(shared: Arc<SharedIndex>) -> Self {
        Self { shared: Some(shared), known_ids: Arc::default() }
    }

    pub(super) fn shared(&self) -> CallResult<Arc<SharedIndex>> {
        self.shared.clone().ok_or_else(|| Failure::closed("index"))
    }

    /// Returns the index, and the rows that the filter allows. Fails if the filter was made by another index.
    fn with_filter(
        &self,
        filter: Option<&NativeFilter>,
    ) -> CallResult<(Arc<SharedIndex>, Option<Arc<RowFilter>>)> {
        let shared = self.shared()?;
        let rows = filter.map(|filter| filter.rows_for(&shared)).transpose()?;
        Ok((shared, rows))
    }

    /// Runs `work` after all changes that were requested earlier, and returns a promise of its result.
    pub(super) fn change<'env, T: ToNapiValue + Send + 'static>(
        &self,
        env: &'env Env,
        work: impl FnOnce(&SharedIndex) -> CallResult<T> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        match self.shared() {
            Ok(shared) => {
                let changes = Arc::clone(&shared.changes);
                spawn_on(env, move |task| changes.push(threads(), task), move || work(&shared))
            }
            Err(closed) => spawn::<T, _>(env, move || Err(closed)),
        }
    }
}

#[napi]
impl NativeVectorIndex {
    #[napi(getter, catch_unwind)]
    pub fn dim(&self) -> napi::Result<u32> {
        Ok(self.shared()?.dim)
    }

    /// Number of rows that are not deleted.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> napi::Result<u32> {
        Ok(self.shared()?.live_len())
    }

    #[napi(getter, catch_unwind)]
    pub fn similarity(&self) -> napi::Result<String> {
        Ok(self.shared()?.similarity.to_owned())
    }

    /// How a flat index stores its vectors; null for an HNSW index.
    #[napi(getter, catch_unwind)]
    pub fn storage(&self) -> napi::Result<Option<&'static str>> {
        Ok(self.shared()?.storage)
    }

    /// The caller's metadata, as JSON.
    #[napi(getter, catch_unwind)]
    pub fn metadata(&self) -> napi::Result<String> {
        Ok(self.shared()?.metadata.clone())
    }

    #[napi(getter, catch_unwind)]
    pub fn memory_bytes(&self) -> napi::Result<f64> {
        Ok(self.shared()?.memory_bytes() as f64)
    }

    /// Returns a token with which `attachIndex` finds this index in any thread.
    #[napi(catch_unwind)]
    pub fn share(&self) -> napi::Result<String> {
        call_sync(|| Ok(self.shared()?.token()))
    }

    /// Adds vectors with new ids. Empties the batch.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn add<'env>(
        &self,
        env: &'env Env,
        batch: &mut VectorBatch,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        self.put(env, Put::Add, batch, control)
    }

    /// Replaces vectors. With `upsert`, vectors with unknown ids are added; otherwise, an unknown id is an error.
    /// Empties the batch.
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
        let control = control_or_new(control);
        let (ids, data) = batch.take();
        self.change(env, move |index| Ok(index.put(put, ids.into_vec(), data, &control)?))
    }

    /// Deletes the rows or, in an index of phrases, the passages with the ids of the batch. Empties the batch. Resolves
    /// to the number of these ids that the index had.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn delete<'env>(&self, env: &'env Env, batch: &mut VectorBatch) -> napi::Result<Object<'env>> {
        let (ids, _) = batch.take();
        self.change(env, move |index| Ok(index.delete(&ids.into_vec())?))
    }

    /// Frees the space of deleted rows.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn compact<'env>(&self, env: &'env Env, control: Option<&Control>) -> napi::Result<Object<'env>> {
        let control = control_or_new(control);
        self.change(env, move |index| Ok(index.compact(&control)?))
    }

    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn save<'env>(&self, env: &'env Env, path: String) -> napi::Result<Object<'env>> {
        self.change(env, move |index| Ok(index.read(|index| index.save(Path::new(&path)))??))
    }

    /// Checks the file that the index was opened from: its checksums, and whether its contents are valid.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn verify<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.shared();
        spawn(env, move || Ok(index?.read(VectorIndex::verify)??))
    }

    /// Searches on the JavaScript thread. Writes the number of hits, the bits of their f32 scores and the slots of their
    /// ids to `buffer`, and returns the ids that JavaScript does not have yet as JSON (see [`JavaScriptIds::write`]).
    /// Returns null, without searching, if the search would probably take longer than a quarter of a millisecond, if it
    /// would have to wait for a change or a disk, or if `buffer` is too short. Only HNSW indexes use `ef`.
    #[napi(catch_unwind)]
    pub fn search_if_quick(
        &self,
        query: &[f32],
        k: u32,
        ef: u32,
        filter: Option<&NativeFilter>,
        #[napi(ts_arg_type = "Uint32Array")] buffer: U32Buffer<'_>,
    ) -> napi::Result<Option<String>> {
        call_sync(|| {
            let (shared, rows) = self.with_filter(filter)?;
            let Some(max_hits) = JavaScriptIds::max_hits(buffer) else { return Ok(None) };
            let write = |index: &VectorIndex, hits: &[Hit]| {
                let visit = |hits: &[Hit], visit: &mut dyn FnMut(&str)| {
                    index.for_each_id(hits, visit);
                    Ok(())
                };
                self.known_ids.write((shared.id_space(), index.live_len()), hits, buffer, visit)
            };
            shared.search_if_quick(query, params(k, ef), rows.as_deref(), max_hits, write)?.transpose()
        })
    }

    /// Searches with one query. Only HNSW indexes use `ef`.
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
        let (target, control, query) = (self.with_filter(filter), control_or_new(control), query.to_vec());
        spawn(env, move || {
            let (shared, rows) = target?;
            let to_hits = |index: &VectorIndex, hits: &[Hit]| {
                ids_of(index, hits).with_scores(hits.iter().map(|hit| hit.score))
            };
            Ok(shared.search(&query, params(k, ef), rows.as_deref(), &control, to_hits)?)
        })
    }

    /// Searches with each query of a batch. Empties the batch. The ids of the batch are the ids of the queries; without
    /// ids, the positions of the queries are their ids. Only HNSW indexes use `ef`. In an index of phrases, `passages`
    /// decides whether hits have the ids of passages or of phrases, and `eachPhrase` decides whether all phrases can be
    /// hits or only the best phrase of each passage.
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
        let (target, control) = (self.with_filter(filter), control_or_new(control));
        let params = BatchParams { search: params(k, ef), threads: threads as usize };
        let (ids, data) = batch.take();
        let (known, names_passages) = (Arc::clone(&self.known_ids), passages == Some(true));
        spawn(env, move || {
            let (shared, rows) = target?;
            let batch = QueryBatch {
                ids: ids.into_vec(),
                vectors: &data,
                names_passages,
                ranks_phrases: each_phrase == Some(true),
            };
            let space = shared.id_space();
            let run = shared.search_batch(batch, params, rows.as_deref(), &control)?;
            // The ids that JavaScript keeps are those of rows. If rows were compacted meanwhile, the same ord means
            // different rows in different lists.
            if names_passages || shared.id_space() != space {
                return Ok(NativeRun::from(run));
            }
            let size = shared.live_len() as usize;
            Ok(NativeRun::of_index(run, IdsOfIndex { known, space, size }))
        })
    }

    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.detach();
    }
}

impl NativeVectorIndex {
    fn detach(&mut self) {
        if let Some(shared) = self.shared.take() {
            self.known_ids = Arc::default();
            shared.detach();
            // Freeing gigabytes takes too long for the JavaScript thread.
            drop_elsewhere(shared);
        }
    }
}

impl Drop for NativeVectorIndex {
    fn drop(&mut self) {
        self.detach();
    }
}

fn params(k: u32, ef: u32) -> SearchParams {
    SearchParams { k: k as usize, ef: ef as usize }
}

fn ids_of(index: &VectorIndex, hits: &[Hit]) -> PassageIdBuilder {
    let mut ids = PassageIdBuilder::with_capacity(hits.len());
    index.for_each_id(hits, |id| ids.push(id));
    ids
}
