//! A weight tensor in memory, as both file formats give it.

/// Row-major values with their shape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tensor {
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}
