//! Collects the vectors and ids that JavaScript passes to an index.

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::call::{CallResult, Failure, call_sync, spawn};

/// Vectors and their ids, or ids alone. JavaScript passes them in several calls, so that no call takes long.
#[napi]
#[derive(Default)]
pub struct VectorBatch {
    ids: PushedIds,
    pub(super) data: Vec<f32>,
}

/// Ids as JavaScript passed them. [`into_vec`](Self::into_vec) makes one string per id. For thousands of ids, this is
/// too slow for the JavaScript thread.
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

/// Makes an empty batch with memory for `rows` vectors of dimension `dim`.
#[napi(ts_return_type = "Promise<VectorBatch>", catch_unwind)]
pub fn batch_with_room(env: &Env, rows: u32, dim: u32) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let mut batch = VectorBatch::default();
        batch.allocate(rows, dim)?;
        // Write to all pages, so that the system maps and clears them now, on this thread. Otherwise, the system would
        // do so while the JavaScript thread copies vectors to them, which would take longer than the copying itself.
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

    /// Allocates memory for `rows` vectors of dimension `dim` at once, because growing later would copy the vectors.
    #[napi(catch_unwind)]
    pub fn reserve(&mut self, rows: u32, dim: u32) -> napi::Result<()> {
        call_sync(|| self.allocate(rows, dim))
    }

    /// Appends vectors, one after another.
    #[napi(catch_unwind)]
    pub fn push(&mut self, data: &[f32]) {
        self.data.extend_from_slice(data);
    }

    #[napi(catch_unwind)]
    pub fn push_ids(&mut self, ids: Vec<String>) {
        self.ids.0.push(IdSlice::Separate(ids));
    }

    /// Appends `count` ids, joined into one string with U+0000 between them, because passing one string to the addon is
    /// faster than passing many. Returns false, and appends nothing, if an id contains that character.
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
                format!("vectors: cannot allocate memory for {rows} vectors of dimension {dim}: {error}");
            Failure::argument(message)
        })
    }

    /// Takes the vectors out of the batch.
    pub(crate) fn take_vectors(&mut self) -> Vec<f32> {
        self.take().1
    }

    /// Takes the ids and the vectors out of the batch.
    pub(super) fn take(&mut self) -> (PushedIds, Vec<f32>) {
        let Self { ids, data } = std::mem::take(self);
        (ids, data)
    }
}
