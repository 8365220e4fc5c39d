//! [`Tensor`]: an output of a model.

use std::path::Path;

use crate::Error;

/// One output of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Sizes of the axes, outermost first.
    pub shape: Vec<usize>,
    /// The values, row-major.
    pub data: Vec<f32>,
}

/// Creates the error for an output that the model does not have.
pub(super) fn no_output(path: &Path, name: &str, outputs: &[String]) -> Error {
    Error::model(path, format!("an f32 output \"{name}\""), format!("outputs {}", outputs.join(", ")))
}
