use napi_derive::napi;

use crate::error::Failure;
use crate::task::call;

/// Vectors on their way from JavaScript, copied a slice at a time; or ids alone.
#[napi]
#[derive(Default)]
pub struct VectorBatch {
    pub(super) ids: Vec<String>,
    pub(super) data: Vec<f32>,
}

#[napi]
impl VectorBatch {
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for `rows` ids and as many vectors of `dim` numbers at once: growing would copy what is there.
    #[napi(catch_unwind)]
    pub fn reserve(&mut self, rows: u32, dim: u32) -> napi::Result<()> {
        call(|| {
            let (rows, numbers) = (rows as usize, rows as usize * dim as usize);
            let reserved =
                self.ids.try_reserve_exact(rows).and_then(|()| self.data.try_reserve_exact(numbers));
            reserved.map_err(|error| {
                let message =
                    format!("vectors: expected memory for {rows} of dimension {dim}, got none: {error}");
                Failure::argument(message)
            })
        })
    }

    #[napi(catch_unwind)]
    pub fn push(&mut self, data: &[f32]) {
        self.data.extend_from_slice(data);
    }

    #[napi(catch_unwind)]
    pub fn push_ids(&mut self, ids: Vec<String>) {
        self.ids.extend(ids);
    }

    /// `count` ids with U+0000 between them: one string crosses faster than many. False, and nothing taken, if some
    /// have that character in them.
    #[napi(catch_unwind)]
    pub fn push_joined(&mut self, count: u32, ids: String) -> bool {
        let ids = ids.split('\0');
        if ids.clone().count() != count as usize {
            return false;
        }
        self.ids.extend(ids.map(str::to_owned));
        true
    }
}
