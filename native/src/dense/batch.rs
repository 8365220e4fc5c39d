use napi_derive::napi;

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
