//! Lists the ids of a vector index, checks whether it has an id, and returns vectors by id.

use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint8Array};
use napi_derive::napi;
use serving::IdCursor;

use super::index::NativeVectorIndex;
use super::vector_batch::VectorBatch;
use crate::call::{call_sync, spawn};
use crate::runs::{Hits, PassageIdBuilder};

/// A snapshot of the ids of an index, which JavaScript reads in several calls. JavaScript can mark some of the ids, and
/// then call `filterFromMarkedIds` to make a filter that allows these.
#[napi]
pub struct NativeIds {
    pub(super) cursor: IdCursor,
}

#[napi]
impl NativeIds {
    /// Number of ids, including those that `next` has returned.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.cursor.len() as u32
    }

    /// Returns the next ids, at most `count`, without scores. Returns no ids at the end.
    #[napi(catch_unwind)]
    pub fn next(&mut self, count: u32) -> Hits {
        let ids: PassageIdBuilder = self.cursor.next(count as usize).collect();
        ids.with_scores(std::iter::empty())
    }

    /// Marks ids that the last call of `next` returned. `which` has one number for each of these ids: 0 leaves the id
    /// unmarked, and any other number marks it.
    #[napi(catch_unwind)]
    pub fn mark(&mut self, which: Uint8Array) -> napi::Result<()> {
        call_sync(|| Ok(self.cursor.mark(&which)?))
    }
}

#[napi]
impl NativeVectorIndex {
    /// Makes a snapshot of the ids.
    #[napi(ts_return_type = "Promise<NativeIds>", catch_unwind)]
    pub fn ids<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.shared();
        spawn(env, move || {
            let cursor = index?.read(IdCursor::new)?;
            Ok(NativeIds { cursor })
        })
    }

    /// Returns whether the index has an id, or null if the call would have to wait for a change of the index or first
    /// build the table of ids.
    #[napi(catch_unwind)]
    pub fn has_now(&self, id: String) -> napi::Result<Option<bool>> {
        call_sync(|| Ok(self.shared()?.try_has_id(&id)?))
    }

    /// Returns whether the index has an id. Runs on another thread, so it can wait for a change.
    #[napi(ts_return_type = "Promise<boolean>", catch_unwind)]
    pub fn has<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let index = self.shared();
        spawn(env, move || {
            let shared = index?;
            Ok(shared.read(|index| shared.has_id(index, &id))?)
        })
    }

    /// Returns the vector with an id, as it is stored, or null if the index does not have the id.
    #[napi(ts_return_type = "Promise<Float32Array | null>", catch_unwind)]
    pub fn vector<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let index = self.shared();
        spawn(env, move || {
            let vector = index?.read(|index| index.ord(&id).map(|ord| index.vector(ord).into_owned()))?;
            Ok(vector.map(Float32Array::from))
        })
    }

    /// Returns the vectors with the ids of a batch, one after another, as they are stored. Fails for an unknown id.
    /// Empties the batch.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    pub fn vectors<'env>(&self, env: &'env Env, batch: &mut VectorBatch) -> napi::Result<Object<'env>> {
        let (index, (ids, _)) = (self.shared(), batch.take());
        spawn(env, move || {
            let ids = ids.into_vec();
            Ok(Float32Array::from(index?.read(|index| index.vectors_of(ids))??))
        })
    }
}
