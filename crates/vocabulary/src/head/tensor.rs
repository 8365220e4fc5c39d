//! A weight tensor in memory, which the readers of both file formats return.

/// Row-major values with their shape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tensor {
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}
