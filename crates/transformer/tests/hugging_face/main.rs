//! Weights that are written as Hugging Face models are read back, bit for bit. Models of other architectures and
//! damaged files are refused with the reason.

mod malformed;
mod models;
mod refused;
#[path = "../support/mod.rs"]
mod support;
mod written;

use std::collections::BTreeMap;
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Value, json};
use support::weights::{Shape, random, to_mpnet};
use transformer::hugging_face::{
    Architecture, END_OUTPUT, HIDDEN_STATES_OUTPUT, RELEVANCE_OUTPUT, START_OUTPUT,
};
use transformer::weights::{Head, Output, TableValues, Weights};

const SHAPE: Shape = Shape { dim: 32, heads: 2, intermediate: 48, layers: 2, words: 40, positions: 24 };

/// The heads of a test model.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Encoder,
    Reader,
    DprReader,
}

/// Random weights of a model of this architecture.
fn weights(architecture: Architecture, kind: Kind) -> Weights {
    let mut weights = random(SHAPE, 1, false);
    let embeddings = &mut weights.embeddings;
    match architecture {
        Architecture::Bert => {}
        Architecture::Roberta | Architecture::XlmRoberta => {
            embeddings.first_position = 2;
            with_one_type(&mut weights);
        }
        Architecture::DistilBert => {
            embeddings.types = None;
            embeddings.has_type_input = false;
        }
        Architecture::MpNet => to_mpnet(&mut weights, 2),
    }
    let logits = |number: usize| weights.outputs[number].head.clone();
    let (Head::TokenLogits { linear: span, .. }, Head::FirstTokenLogits { linear: relevance, .. }) =
        (logits(1), logits(3))
    else {
        panic!("the outputs of `random`");
    };
    let mut relevance = relevance;
    relevance.outputs = 1;
    relevance.bias.truncate(1);
    if let transformer::weights::Matrix::F32(values) = &mut relevance.weights {
        values.truncate(relevance.inputs);
    }
    let output = |name: &str, head| Output { name: name.to_owned(), head };
    let mut outputs = vec![
        output(START_OUTPUT, Head::TokenLogits { linear: span.clone(), column: 0 }),
        output(END_OUTPUT, Head::TokenLogits { linear: span, column: 1 }),
        output(RELEVANCE_OUTPUT, Head::FirstTokenLogits { linear: relevance, column: 0 }),
    ];
    match kind {
        Kind::Encoder => outputs = vec![output(HIDDEN_STATES_OUTPUT, Head::HiddenStates)],
        Kind::Reader => outputs.truncate(2),
        Kind::DprReader => {}
    }
    Weights { outputs, ..weights }
}

/// Leaves a single token type, which no input chooses.
fn with_one_type(weights: &mut Weights) {
    weights.embeddings.has_type_input = false;
    let types = weights.embeddings.types.as_mut().expect("types");
    types.rows = 1;
    if let TableValues::F32(values) = &mut types.values {
        values.truncate(types.dim);
    }
}

/// The tensors of a file.
type Tensors = BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

/// Reads the tensors of a folder with the `safetensors` library.
fn tensors(folder: &Path) -> Tensors {
    let bytes = std::fs::read(folder.join("model.safetensors")).expect("the file");
    let tensors = SafeTensors::deserialize(&bytes).expect("safetensors");
    let entry = |(name, view): (String, TensorView<'_>)| {
        (name, (view.dtype(), view.shape().to_vec(), view.data().to_vec()))
    };
    tensors.tensors().into_iter().map(entry).collect()
}

/// Writes tensors to a folder with the `safetensors` library.
fn write_tensors(folder: &Path, tensors: &Tensors) {
    let views = tensors.iter().map(|(name, (dtype, shape, bytes))| {
        (name, TensorView::new(*dtype, shape.clone(), bytes).expect("a tensor"))
    });
    let bytes = safetensors::serialize(views, None).expect("safetensors");
    std::fs::write(folder.join("model.safetensors"), bytes).expect("writes");
}

fn read_json(folder: &Path) -> Value {
    let bytes = std::fs::read(folder.join("config.json")).expect("the file");
    serde_json::from_slice(&bytes).expect("JSON")
}

/// Sets an entry of the configuration in a folder, or removes it if the value is null.
fn set_entry(folder: &Path, key: &str, value: &Value) {
    let mut config = read_json(folder);
    let entries = config.as_object_mut().expect("an object");
    if value.is_null() {
        entries.remove(key);
    } else {
        entries.insert(key.to_owned(), value.clone());
    }
    std::fs::write(folder.join("config.json"), json!(config).to_string()).expect("writes");
}
