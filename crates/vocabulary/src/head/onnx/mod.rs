//! Reads heads from ONNX files. Heads are found by structure, not by name, because exporters and optimizers rename and
//! fuse nodes.
//!
//! The graph is matched from an output back to the inputs: a linear layer (the decoder, `linear.rs`), a layer norm
//! (`layer_norm.rs`), an activation (`activation.rs`), and another linear layer (the dense layer). [`Matcher`] skips
//! nodes that do not change the numbers, and folds constants. `protobuf.rs` reads fields from the file without loading
//! all of it; `graph.rs` and `tensor.rs` decode ONNX's Protocol Buffers messages.

mod activation;
mod graph;
mod layer_norm;
mod linear;
mod matcher;
mod protobuf;
mod tensor;

use std::path::{Path, PathBuf};

use activation::ActivationLayer;
use graph::Graph;
use layer_norm::LayerNorm;
use linear::Linear;
use matcher::Matcher;
use protobuf::ProtobufFile;

use super::Head;
use crate::Error;

/// Reads the head in the file at `path`.
pub(crate) fn open(path: &Path) -> Result<Head, Error> {
    let mut file = ProtobufFile::open(path)?;
    let graph = Graph::read(&mut file)?;
    if let Some(logits) = graph.outputs.iter().find(|name| *name == "logits") {
        return match_head(&graph, &mut file, logits);
    }
    // No output is called "logits", so each output is tried. If there are several outputs, those without a head before
    // them are not an error.
    let mut heads = Vec::new();
    for output in &graph.outputs {
        match match_head(&graph, &mut file, output) {
            Err(error) if graph.outputs.len() == 1 || !matches!(error, Error::Format { .. }) => {
                return Err(error);
            }
            Err(_) => {}
            Ok(head) => heads.push(head),
        }
    }
    let found = heads.len();
    heads.pop().filter(|_| found == 1).ok_or_else(|| {
        let expected =
            "a masked-language-model head before the output \"logits\", or else before exactly one output";
        let outputs = graph.outputs.join(", ");
        Error::format(path, expected, if found == 0 { format!("none before {outputs}") } else { outputs })
    })
}

/// Returns `path`, followed by the paths of the files that hold external data of its tensors.
pub(crate) fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut file = ProtobufFile::open(path)?;
    let graph = Graph::read(&mut file)?;
    let mut external_files = Vec::new();
    for tensor in graph.tensors() {
        external_files.extend(tensor.external_file(path)?);
    }
    external_files.sort_unstable();
    external_files.dedup();
    external_files.insert(0, path.to_path_buf());
    Ok(external_files)
}

/// Matches the head that computes the output `logits`.
fn match_head(graph: &Graph, file: &mut ProtobufFile, logits: &str) -> Result<Head, Error> {
    let mut matcher = Matcher::new(graph, file);
    let decoder = Linear::match_output(&mut matcher, logits, None, "the decoder before the logits")?;
    let norm = LayerNorm::match_output(&mut matcher, decoder.input)?;
    let ActivationLayer { activation, input, bias } =
        ActivationLayer::match_output(&mut matcher, norm.input)?;
    let dense = Linear::match_output(&mut matcher, input, bias, "the dense layer before the activation")?;
    let (inner_dim, vocabulary_size, dim) = (decoder.input_dim, decoder.output_dim, dense.input_dim);
    let check_size = |name: &str, what: &str, got: usize| {
        if got == inner_dim && inner_dim > 0 && vocabulary_size > 0 && dim > 0 {
            return Ok(());
        }
        let expected = format!("{inner_dim} {what} at node \"{name}\" to match the decoder's weights");
        Err(matcher.error(expected, got.to_string()))
    };
    check_size(norm.name, "weights", norm.weight.len())?;
    check_size(dense.name, "outputs", dense.output_dim)?;
    let norm_bias = if norm.bias.is_empty() { vec![0.0; inner_dim] } else { norm.bias };
    check_size(norm.name, "biases", norm_bias.len())?;
    let weights = [&dense.weight, &dense.bias, &decoder.weight, &decoder.bias];
    for (name, weights) in [dense.name, dense.name, decoder.name, decoder.name].into_iter().zip(weights) {
        if let Some(weight) = weights.iter().find(|weight| !weight.is_finite()) {
            let expected = format!("finite numbers at node \"{name}\"");
            return Err(matcher.error(expected, format!("{weight} after dequantization")));
        }
    }
    // `Linear` starts its sums of biases at 0, so no bias is −0; see `Head::bias`.
    Ok(Head {
        dim,
        inner_dim,
        vocabulary_size,
        dense_weight: dense.weight,
        dense_bias: dense.bias,
        activation,
        norm_weight: norm.weight,
        norm_bias,
        norm_epsilon: norm.epsilon,
        decoder: decoder.weight,
        bias: decoder.bias,
    })
}
