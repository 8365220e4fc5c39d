//! Heads in ONNX files, found by what they compute: backwards from the logits a linear layer, a layer norm, an activation and
//! another linear layer, whatever exporter or optimiser has made of them.

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
    let mut source = ProtobufFile::open(path)?;
    let graph = Graph::read(&mut source)?;
    if let Some(logits) = graph.outputs.iter().find(|name| *name == "logits") {
        return before(&graph, &mut source, logits);
    }
    let mut heads = Vec::new();
    for output in &graph.outputs {
        match before(&graph, &mut source, output) {
            Err(error) if graph.outputs.len() == 1 || !matches!(error, Error::Format { .. }) => {
                return Err(error);
            }
            Err(_) => {}
            Ok(head) => heads.push(head),
        }
    }
    let found = heads.len();
    heads.pop().filter(|_| found == 1).ok_or_else(|| {
        let expected = "a masked-language-model head before the output \"logits\", or before one output";
        let outputs = graph.outputs.join(", ");
        Error::format(path, expected, if found == 0 { format!("none before {outputs}") } else { outputs })
    })
}

/// The file at `path`, and the files beside it that have some of its weights.
pub(crate) fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut source = ProtobufFile::open(path)?;
    let graph = Graph::read(&mut source)?;
    let mut others = Vec::new();
    for tensor in graph.tensors() {
        others.extend(tensor.outside(path)?);
    }
    others.sort_unstable();
    others.dedup();
    others.insert(0, path.to_path_buf());
    Ok(others)
}

/// The head that makes a value.
fn before(graph: &Graph, source: &mut ProtobufFile, logits: &str) -> Result<Head, Error> {
    let mut matcher = Matcher::new(graph, source);
    let decoder = Linear::find(&mut matcher, logits, None, "the decoder before the logits")?;
    let norm = LayerNorm::find(&mut matcher, decoder.input)?;
    let ActivationLayer { activation, input, bias } = ActivationLayer::find(&mut matcher, norm.input)?;
    let dense = Linear::find(&mut matcher, input, bias, "the dense layer before the activation")?;
    let (inner, vocabulary, dim) = (decoder.inputs, decoder.outputs, dense.inputs);
    let sized = |name: &str, what: &str, got: usize| {
        if got == inner && inner > 0 && vocabulary > 0 && dim > 0 {
            return Ok(());
        }
        let expected = format!("{inner} {what} at node \"{name}\", as the decoder's weights have");
        Err(matcher.error(expected, got.to_string()))
    };
    sized(norm.name, "weights", norm.weight.len())?;
    sized(dense.name, "outputs", dense.outputs)?;
    let norm_bias = if norm.bias.is_empty() { vec![0.0; inner] } else { norm.bias };
    sized(norm.name, "biases", norm_bias.len())?;
    let weights = [&dense.weight, &dense.bias, &decoder.weight, &decoder.bias];
    for (name, weights) in [dense.name, dense.name, decoder.name, decoder.name].into_iter().zip(weights) {
        if let Some(other) = weights.iter().find(|weight| !weight.is_finite()) {
            let expected = format!("finite numbers at node \"{name}\"");
            return Err(matcher.error(expected, format!("{other}, made of weights with scales")));
        }
    }
    // Sums are begun with 0, so no bias is −0: a logit has the same bits then, whichever kernel made its product.
    Ok(Head {
        dim,
        inner,
        vocabulary,
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
