//! Vectors and ids on their way from JavaScript.

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::call::{CallResult, Failure, call_sync, spawn};

/// Vectors and their ids, or ids alone, which JavaScript passes in several calls so that none takes long.
#[napi]
#[derive(Default)]
pub struct VectorBatch {
    ids: PushedIds,
    pub(super) data: Vec<f32>,
}

/// Ids as JavaScript passed them. [`into_vec`](Self::into_vec) makes one string per id, which takes long for thousands of
/// ids: not on the JavaScript thread.
#[derive(Default)]
pub(super) struct PushedIds(Vec<IdSlice>);

enum IdSlice {
    /// With U+0000 between the ids.
    Joined(String),
    Separate(Vec<String>),
}

impl PushedIds {
    pub(super) fn into_vec(self) -> Vec<String> {
        let mut all = Vec::new();
        for slice in self.0 {
            match slice {
                IdSlice::Joined(ids) => all.extend(ids.split('\0').map(str::to_owned)),
                IdSlice::Separate(ids) => all.extend(ids),
            }
        }
        all
    }
}

/// An empty batch with memory for `rows` vectors of dimension `dim`.
#[napi(ts_return_type = "Promise<VectorBatch>", catch_unwind)]
pub fn batch_with_room(env: &Env, rows: u32, dim: u32) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let mut batch = VectorBatch::default();
        batch.allocate(rows, dim)?;
        // Touches the pages, so that the system maps and clears them on this thread: that takes longer than copying to them.
        batch.data.resize(batch.data.capacity(), 0.0);
        batch.data.clear();
        Ok(batch)
    })
}

#[napi]
impl VectorBatch {
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Allocates memory for `rows` vectors of dimension `dim` at once: growing later would copy what is there.
    #[napi(catch_unwind)]
    pub fn reserve(&mut self, rows: u32, dim: u32) -> napi::Result<()> {
        call_sync(|| self.allocate(rows, dim))
    }

    /// Appends numbers of vectors.
    #[napi(catch_unwind)]
    pub fn push(&mut self, data: &[f32]) {
        self.data.extend_from_slice(data);
    }

    #[napi(catch_unwind)]
    pub fn push_ids(&mut self, ids: Vec<String>) {
        self.ids.0.push(IdSlice::Separate(ids));
    }

    /// `count` ids with U+0000 between them: one string crosses faster than many. Returns false, and takes nothing, if an id
    /// contains that character.
    #[napi(catch_unwind)]
    pub fn push_joined(&mut self, count: u32, ids: String) -> bool {
        let is_separable = ids.bytes().filter(|&byte| byte == 0).count() + 1 == count as usize;
        if is_separable {
            self.ids.0.push(IdSlice::Joined(ids));
        }
        is_separable
    }
}

impl VectorBatch {
    fn allocate(&mut self, rows: u32, dim: u32) -> CallResult<()> {
        self.data.try_reserve_exact(rows as usize * dim as usize).map_err(|error| {
            let message =
                format!("vectors: expected memory for {rows} of dimension {dim}, got none: {error}");
            Failure::argument(message)
        })
    }

    /// Ids and vectors; the batch is empty afterwards.
    pub(super) fn take(&mut self) -> (PushedIds, Vec<f32>) {
        let Self { ids, data } = std::mem::take(self);
        (ids, data)
    }
}
