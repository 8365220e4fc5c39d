//! The ids of an index and their vectors.

use dense::RowSet;
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint8Array};
use napi_derive::napi;

use super::index::NativeVectorIndex;
use super::vector_batch::VectorBatch;
use crate::call::{Failure, call_sync, spawn};
use crate::runs::{Hits, PassageIdBuilder};

/// A snapshot of the ids of an index, which JavaScript reads in several calls. It may mark some, to filter by them.
#[napi]
pub struct NativeIds {
    pub(super) ids: dense::RowIds,
    live: RowSet,
    /// The first row that was not returned yet.
    next_row: u32,
    /// The rows whose ids were returned last.
    last_rows: Vec<u32>,
    pub(super) marked: RowSet,
}

#[napi]
impl NativeIds {
    /// Number of ids.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.live.len() as u32
    }

    /// The next ids, at most `count`, without scores; no ids at the end.
    #[napi(catch_unwind)]
    pub fn next(&mut self, count: u32) -> Hits {
        let row_count = self.ids.len() as u32;
        let live = (self.next_row..row_count).filter(|&ord| self.live.contains(ord));
        self.last_rows = live.take(count as usize).collect();
        self.next_row = self.last_rows.last().map_or(row_count, |last| last + 1);
        let ids: PassageIdBuilder = self.last_rows.iter().map(|&ord| self.ids.id(ord)).collect();
        ids.with_scores(std::iter::empty())
    }

    /// Marks those of the ids returned last whose number in `which` is not 0.
    #[napi(catch_unwind)]
    pub fn mark(&mut self, which: Uint8Array) -> napi::Result<()> {
        call_sync(|| {
            if which.len() != self.last_rows.len() {
                let (expected, got) = (self.last_rows.len(), which.len());
                return Err(Failure::argument(format!("mark: expected {expected} numbers, got {got}")));
            }
            for (&ord, _) in self.last_rows.iter().zip(which.iter()).filter(|&(_, &mark)| mark != 0) {
                self.marked.insert(ord);
            }
            Ok(())
        })
    }
}

#[napi]
impl NativeVectorIndex {
    /// A snapshot of the ids.
    #[napi(ts_return_type = "Promise<NativeIds>", catch_unwind)]
    pub fn ids<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.shared();
        spawn(env, move || {
            let snapshot = index?.read(|index| NativeIds {
                ids: index.row_ids(),
                live: index.live(),
                next_row: 0,
                last_rows: Vec::new(),
                marked: RowSet::new(),
            });
            Ok(snapshot?)
        })
    }

    /// Whether the index has an id; null if the call would have to wait.
    #[napi(catch_unwind)]
    pub fn has_now(&self, id: String) -> napi::Result<Option<bool>> {
        call_sync(|| {
            let shared = self.shared()?;
            let found = shared.try_read(|index| index.ids_listed().then(|| shared.has_id(index, &id)))?;
            Ok(found.flatten())
        })
    }

    #[napi(ts_return_type = "Promise<boolean>", catch_unwind)]
    pub fn has<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let index = self.shared();
        spawn(env, move || {
            let shared = index?;
            Ok(shared.read(|index| shared.has_id(index, &id))?)
        })
    }

    /// The vector of an id, as it is stored; null if the index does not have the id.
    #[napi(ts_return_type = "Promise<Float32Array | null>", catch_unwind)]
    pub fn vector<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let index = self.shared();
        spawn(env, move || {
            let vector = index?.read(|index| index.ord(&id).map(|ord| index.vector(ord).into_owned()))?;
            Ok(vector.map(Float32Array::from))
        })
    }

    /// The vectors of ids, one after another, as they are stored. An unknown id is refused. Empties the batch.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    pub fn vectors<'env>(&self, env: &'env Env, batch: &mut VectorBatch) -> napi::Result<Object<'env>> {
        let (index, (ids, _)) = (self.shared(), batch.take());
        spawn(env, move || {
            let ids = ids.into_vec();
            index?.read(|index| {
                let mut vectors = Vec::with_capacity(ids.len() * index.dim());
                for (row, id) in ids.into_iter().enumerate() {
                    match index.ord(&id) {
                        Some(ord) => vectors.extend_from_slice(&index.vector(ord)),
                        None => return Err(dense::Error::UnknownId { operation: "vectors", id, row }.into()),
                    }
                }
                Ok(Float32Array::from(vectors))
            })?
        })
    }
}
