//! Weights that are written as ONNX files are read back, bit for bit. `crates/inference/tests/written_models.rs` runs
//! such files with ONNX Runtime.

mod support;

use std::path::{Path, PathBuf};

use prost::Message;
use support::weights::{Shape, random, to_mpnet};
use transformer::onnx::format::ModelProto;
use transformer::onnx::{self, WriteError};
use transformer::weights::{Head, Output, Table, TableValues, Weights};
use transformer::{Bits, quantize};

const SHAPE: Shape = Shape { dim: 32, heads: 2, intermediate: 48, layers: 2, words: 40, positions: 24 };

/// Checks that weights are read back from the file that is written for them.
fn assert_kept(weights: &Weights, what: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.onnx");
    onnx::write(weights, &path).expect("writes");
    let got = onnx::read(&path).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(got == *weights, "{what}");
    assert_eq!(std::fs::read(&path).expect("the file"), onnx::to_bytes(weights).expect("bytes"), "{what}");
}

/// Random weights in which each token has the type 0, and there is no input for types.
fn without_type_input(is_quantized: bool) -> Weights {
    let mut weights = random(SHAPE, 1, is_quantized);
    weights.embeddings.has_type_input = false;
    let types = weights.embeddings.types.as_mut().expect("types");
    truncate(types, 1);
    weights
}

fn truncate(table: &mut Table, rows: usize) {
    table.rows = rows;
    match &mut table.values {
        TableValues::F32(values) => values.truncate(rows * table.dim),
        TableValues::U8 { bytes, .. } => bytes.truncate(rows * table.dim),
    }
}

#[test]
fn weights_of_floats_and_bytes_with_all_kinds_of_outputs_are_kept() {
    for is_quantized in [false, true] {
        assert_kept(&random(SHAPE, 1, is_quantized), "BERT");
        assert_kept(&without_type_input(is_quantized), "BERT without an input for types");
        let mut roberta = without_type_input(is_quantized);
        roberta.embeddings.first_position = 2;
        assert_kept(&roberta, "RoBERTa");
        let mut distilbert = without_type_input(is_quantized);
        distilbert.embeddings.types = None;
        assert_kept(&distilbert, "DistilBERT");
        let mut mpnet = random(SHAPE, 1, is_quantized);
        to_mpnet(&mut mpnet, 2);
        assert_kept(&mpnet, "MPNet");
    }
    for bits in [Bits::Seven, Bits::Eight] {
        assert_kept(&quantize(&random(SHAPE, 1, false), bits), "quantized");
    }
    assert_kept(&random(Shape { heads: 1, layers: 1, ..SHAPE }, 2, false), "one head and one layer");
}

#[test]
fn each_kind_of_output_is_kept_on_its_own() {
    for is_quantized in [false, true] {
        let weights = random(SHAPE, 3, is_quantized);
        for output in &weights.outputs {
            let outputs = vec![output.clone()];
            assert_kept(&Weights { outputs, ..weights.clone() }, &output.name);
        }
    }
}

#[test]
fn weights_of_the_files_of_exporters_are_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bundled = |name: &str| folder.join("../../models").join(name).join("model.onnx");
    let mut paths: Vec<PathBuf> = vec![bundled("minilm-encoder"), bundled("minilm-reader")];
    let files = std::fs::read_dir(folder.join("tests/files")).expect("a folder");
    paths.extend(files.map(|file| file.expect("a file").path()));
    let weights = |path: &PathBuf| onnx::read(path).ok().map(|weights| (path.clone(), weights));
    let models: Vec<(PathBuf, Weights)> = paths.iter().filter_map(weights).collect();
    assert_eq!(models.len(), 16, "2 bundled models, and 14 of `files/make.py`");
    for (path, weights) in models {
        assert_kept(&weights, &path.display().to_string());
    }
}

#[test]
fn the_inputs_have_dynamic_axes_and_matrices_share_their_quantized_input() {
    let bytes = onnx::to_bytes(&random(SHAPE, 1, true)).expect("bytes");
    let graph = ModelProto::decode(bytes.as_slice()).expect("a model").graph.expect("a graph");
    let inputs: Vec<&str> = graph.input.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(inputs, ["input_ids", "attention_mask", "token_type_ids"]);
    let count = |op: &str| graph.node.iter().filter(|node| node.op_type == op).count();
    // Per layer: one for queries, keys and values, and one for each of the three other matrices. The start and end
    // logits share a matrix, and the relevance and the pooler an input.
    assert_eq!(count("DynamicQuantizeLinear"), 2 * 4 + 2);
    assert_eq!(count("MatMulInteger"), 2 * 6 + 3);
    let bytes = onnx::to_bytes(&without_type_input(false)).expect("bytes");
    let graph = ModelProto::decode(bytes.as_slice()).expect("a model").graph.expect("a graph");
    assert_eq!(graph.input.len(), 2);
}

#[test]
fn weights_that_do_not_fit_together_and_invalid_outputs_are_refused() {
    let weights = random(SHAPE, 1, false);
    let mut short = weights.clone();
    short.layers[1].query.bias.pop();
    assert!(matches!(onnx::to_bytes(&short), Err(WriteError::Weights(_))));
    let with_outputs = |names: &[&str]| {
        let output = |name: &&str| Output { name: (*name).to_owned(), head: Head::HiddenStates };
        let outputs = names.iter().map(output).collect();
        onnx::to_bytes(&Weights { outputs, ..weights.clone() })
    };
    assert!(with_outputs(&["a", "b"]).is_ok());
    for names in [&[][..], &[""], &["a", "a"], &["input_ids"]] {
        assert!(matches!(with_outputs(names), Err(WriteError::Output { .. })), "{names:?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_leaves_the_old_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, "old").expect("writes");
    let mut weights = random(SHAPE, 1, false);
    weights.outputs.clear();
    assert!(onnx::write(&weights, &path).is_err());
    assert_eq!(std::fs::read(&path).expect("the file"), b"old");
    let missing = folder.path().join("none").join("model.onnx");
    let error = onnx::write(&random(SHAPE, 1, false), &missing).expect_err("no folder");
    assert!(matches!(error, WriteError::Storage(_)), "{error}");
}
