//! What an index has: ids and vectors.

use dense::RowSet;
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint8Array};
use napi_derive::napi;

use super::batch::VectorBatch;
use super::index::NativeVectorIndex;
use crate::error::Failure;
use crate::hits::{Hits, Ids};
use crate::task::{call, spawn};

/// The ids of an index as they were, looked at some at a time. Some are marked.
#[napi]
pub struct NativeIds {
    pub(super) names: dense::RowIds,
    pub(super) live: RowSet,
    pub(super) next: u32,
    pub(super) shown: Vec<u32>,
    pub(super) marked: RowSet,
}

#[napi]
impl NativeIds {
    /// How many ids there are.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.live.len() as u32
    }

    /// The next ids, `count` at most; without scores. None at the end.
    #[napi(catch_unwind)]
    pub fn next(&mut self, count: u32) -> Hits {
        let rest = self.next..self.names.len() as u32;
        let live = rest.filter(|&ord| self.live.contains(ord));
        self.shown = live.take(count as usize).collect();
        self.next = self.shown.last().map_or(self.names.len() as u32, |last| last + 1);
        let ids: Ids = self.shown.iter().map(|&ord| self.names.id(ord)).collect();
        ids.with_scores(Vec::new())
    }

    /// Marks those of the ids given last whose number is not 0.
    #[napi(catch_unwind)]
    pub fn mark(&mut self, which: Uint8Array) -> napi::Result<()> {
        call(|| {
            if which.len() != self.shown.len() {
                let (expected, got) = (self.shown.len(), which.len());
                return Err(Failure::argument(format!("mark: expected {expected} numbers, got {got}")));
            }
            for (&ord, _) in self.shown.iter().zip(which.iter()).filter(|&(_, &mark)| mark != 0) {
                self.marked.insert(ord);
            }
            Ok(())
        })
    }
}

#[napi]
impl NativeVectorIndex {
    /// The ids as they are now.
    #[napi(ts_return_type = "Promise<NativeIds>", catch_unwind)]
    pub fn ids<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            index?.read(|index| {
                let (names, live) = (index.row_ids(), index.live());
                Ok(NativeIds { names, live, next: 0, shown: Vec::new(), marked: RowSet::new() })
            })
        })
    }

    /// Whether an id is there; none if that meant waiting.
    #[napi(catch_unwind)]
    pub fn has_now(&self, id: String) -> napi::Result<Option<bool>> {
        call(|| {
            let opened = self.opened()?;
            let found = opened.read_now(|index| Ok(index.ids_listed().then(|| opened.has(index, &id))))?;
            Ok(found.flatten())
        })
    }

    #[napi(ts_return_type = "Promise<boolean>", catch_unwind)]
    pub fn has<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            let opened = index?;
            opened.read(|index| Ok(opened.has(index, &id)))
        })
    }

    /// The vector of an id, if it is there, as it is stored.
    #[napi(ts_return_type = "Promise<Float32Array | null>", catch_unwind)]
    pub fn vector<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            index?.read(|index| {
                Ok(index.ord(&id).map(|ord| Float32Array::from(index.vector(ord).into_owned())))
            })
        })
    }

    /// The vectors of ids that are there, one after another, as they are stored. Empties the batch.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    pub fn vectors<'env>(&self, env: &'env Env, batch: &mut VectorBatch) -> napi::Result<Object<'env>> {
        let (index, (ids, _)) = (self.opened(), batch.take());
        spawn(env, move || {
            let ids = ids.apart();
            index?.read(|index| {
                let mut vectors = Vec::with_capacity(ids.len() * index.dim());
                for (row, id) in ids.into_iter().enumerate() {
                    match index.ord(&id) {
                        Some(ord) => vectors.extend_from_slice(&index.vector(ord)),
                        None => return Err(dense::Error::UnknownId { operation: "vectors", id, row }.into()),
                    }
                }
                Ok(Float32Array::from(vectors))
            })
        })
    }
}
