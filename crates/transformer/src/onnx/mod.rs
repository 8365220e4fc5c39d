//! Reads models of the architecture of BERT (Devlin et al., 2019) from ONNX files: [`read`].
//!
//! An ONNX file has a graph of operators. Exporters write the same model as different graphs, in particular the parts
//! that compute shapes, positions and masks. Therefore a graph is recognized in two steps:
//!
//! 1. The [`probe`] runs all nodes that do not depend on the values of activations, for a batch of two texts. It also
//!    infers the shapes of activations.
//! 2. [`recognize`] matches the nodes that compute activations, from the outputs back to the embeddings, against the
//!    architecture, and copies the parameters. It compares shapes, positions and masks with the values that a BERT has
//!    for that batch.
//!
//! The match is strict. A graph that differs in any operator or value is refused with the reason
//! ([`Error::Unrecognized`]), so that the caller can run it in another way.

mod error;
pub mod format;
mod graph;
mod node;
mod probe;
mod recognize;
mod tensor;

use std::path::Path;

use prost::Message;

pub use error::{Error, Unrecognized};
use format::ModelProto;
use graph::Graph;

use crate::weights::Weights;

/// Reads the parameters of the model in an ONNX file.
///
/// The values of tensors may be in other files, if these are in the folder of the model or below.
///
/// # Errors
///
/// [`Error::Io`] if a file cannot be read; [`Error::Malformed`] if the file is not an ONNX file or is damaged;
/// [`Error::Unrecognized`] if the graph is not one that this crate can run.
pub fn read(path: &Path) -> Result<Weights, Error> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    storage::check_regular(path).map_err(io)?;
    let bytes = std::fs::read(path).map_err(io)?;
    let model = ModelProto::decode(bytes.as_slice())
        .map_err(|error| Error::malformed(path, "an ONNX file", error.to_string()))?;
    drop(bytes);
    let graph = Graph::new(model, path)?;
    recognize::recognize(&graph).map_err(|reason| Error::Unrecognized { path: path.to_path_buf(), reason })
}
