use napi_derive::napi;

/// Vectors on their way from JavaScript, copied a slice at a time.
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
    pub fn push(&mut self, ids: Vec<String>, data: &[f32]) {
        self.ids.extend(ids);
        self.data.extend_from_slice(data);
    }
}
