//! Reads models of the architecture of BERT (Devlin et al., 2019) from ONNX files, and writes them: [`read`] and
//! [`write()`].
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
//! Both steps run three times, with texts of different lengths. The match is strict. A graph that differs in any
//! operator or value is refused with the reason ([`Error::Unrecognized`]), so that the caller can run it in another
//! way.

mod compare;
mod error;
pub mod format;
mod graph;
mod node;
mod probe;
mod recognize;
mod tensor;
mod value;
mod write;

use std::path::Path;

use prost::Message;

pub use error::{Error, Unrecognized};
use format::ModelProto;
use graph::Graph;
pub use write::{WriteError, to_bytes, write};

use crate::hugging_face::HIDDEN_STATES_OUTPUT;
use crate::weights::Weights;

/// Maximum number of positions of a model. The masks of longer texts would take too much memory to check.
const MAX_TOKENS: usize = 2048;

/// Reads the parameters of the model in an ONNX file.
///
/// The values of tensors may be in other files, if these are in the folder of the model or below.
///
/// # Errors
///
/// [`Error::Io`] if a file cannot be read; [`Error::Malformed`] if the file is not an ONNX file or is damaged;
/// [`Error::Unrecognized`] if the graph is not one that this crate can run.
pub fn read(path: &Path) -> Result<Weights, Error> {
    recognize_file(path, |_| {})
}

/// Does the same as [`read`], but if the model has the output `last_hidden_state`, reads only this output. Its other
/// outputs may then be of any kind, such as pooled vectors.
///
/// # Errors
///
/// Same as [`read`].
pub fn read_encoder(path: &Path) -> Result<Weights, Error> {
    recognize_file(path, |graph| {
        if graph.outputs.iter().any(|(name, _)| name == HIDDEN_STATES_OUTPUT) {
            graph.outputs.retain(|(name, _)| name == HIDDEN_STATES_OUTPUT);
        }
    })
}

/// Reads a file, changes the graph, and recognizes the model in it.
fn recognize_file(path: &Path, change: impl FnOnce(&mut Graph)) -> Result<Weights, Error> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    storage::check_regular(path).map_err(io)?;
    let bytes = std::fs::read(path).map_err(io)?;
    let model = ModelProto::decode(bytes.as_slice())
        .map_err(|error| Error::malformed(path, "an ONNX file", error.to_string()))?;
    drop(bytes);
    let mut graph = Graph::new(model, path)?;
    change(&mut graph);
    recognize_at_all_lengths(&graph)
        .map_err(|reason| Error::Unrecognized { path: path.to_path_buf(), reason })
}

/// Recognizes the model with texts of three lengths, one of which is the greatest that it has positions for. So a scale
/// that depends on the length, positions that end early and masks that hide distant tokens are noticed.
fn recognize_at_all_lengths(graph: &Graph) -> Result<Weights, Unrecognized> {
    let weights = recognize::recognize(graph, None)?;
    let longest = weights.embeddings.max_tokens();
    if longest > MAX_TOKENS {
        let (expected, got) = (format!("positions for at most {MAX_TOKENS} tokens"), longest.to_string());
        return Err(Unrecognized::new("graph", expected, got));
    }
    for length in [longest, longest.div_ceil(2)] {
        if !compare::are_same(&weights, &recognize::recognize(graph, Some(length))?) {
            let expected = "parameters that do not depend on the lengths of texts";
            return Err(Unrecognized::new("graph", expected, "others"));
        }
    }
    Ok(weights)
}
