use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::error::Failure;
use crate::task::{Outcome, call, spawn};

/// Vectors on their way from JavaScript, copied a slice at a time; or ids alone.
#[napi]
#[derive(Default)]
pub struct VectorBatch {
    ids: PushedIds,
    pub(super) data: Vec<f32>,
}

/// As they came. Thousands of small strings are made of them where no event loop waits for it: [`PushedIds::apart`].
#[derive(Default)]
pub(super) struct PushedIds(Vec<Slice>);

enum Slice {
    /// With U+0000 between them.
    Joined(String),
    Apart(Vec<String>),
}

impl PushedIds {
    pub(super) fn apart(self) -> Vec<String> {
        let mut all = Vec::new();
        for slice in self.0 {
            match slice {
                Slice::Joined(ids) => all.extend(ids.split('\0').map(str::to_owned)),
                Slice::Apart(ids) => all.extend(ids),
            }
        }
        all
    }
}

/// `rows` vectors of dimension `dim` are about to come.
#[napi(ts_return_type = "Promise<VectorBatch>", catch_unwind)]
pub fn batch_with_room(env: &Env, rows: u32, dim: u32) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let mut batch = VectorBatch::default();
        batch.make_room(rows, dim)?;
        // The system gives out and clears the pages now, on this thread: that takes longer than copying into them.
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

    /// Makes room for `rows` vectors of `dim` numbers at once: growing would copy what is there.
    #[napi(catch_unwind)]
    pub fn reserve(&mut self, rows: u32, dim: u32) -> napi::Result<()> {
        call(|| self.make_room(rows, dim))
    }

    #[napi(catch_unwind)]
    pub fn push(&mut self, data: &[f32]) {
        self.data.extend_from_slice(data);
    }

    #[napi(catch_unwind)]
    pub fn push_ids(&mut self, ids: Vec<String>) {
        self.ids.0.push(Slice::Apart(ids));
    }

    /// `count` ids with U+0000 between them: one string crosses faster than many. False, and nothing taken, if some
    /// have that character in them.
    #[napi(catch_unwind)]
    pub fn push_joined(&mut self, count: u32, ids: String) -> bool {
        let as_said = ids.bytes().filter(|&byte| byte == 0).count() + 1 == count as usize;
        if as_said {
            self.ids.0.push(Slice::Joined(ids));
        }
        as_said
    }
}

impl VectorBatch {
    fn make_room(&mut self, rows: u32, dim: u32) -> Outcome<()> {
        self.data.try_reserve_exact(rows as usize * dim as usize).map_err(|error| {
            let message =
                format!("vectors: expected memory for {rows} of dimension {dim}, got none: {error}");
            Failure::argument(message)
        })
    }

    /// What has come, which leaves the batch empty.
    pub(super) fn take(&mut self) -> (PushedIds, Vec<f32>) {
        let Self { ids, data } = std::mem::take(self);
        (ids, data)
    }
}
