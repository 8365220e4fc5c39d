//! ONNX files that the crate `transformer` writes compute the same with ONNX Runtime as with that crate. The ONNX
//! Runtime library comes from the path in the environment variable `ORT_DYLIB_PATH`, or else from the npm package
//! `onnxruntime-node`. Without the library, the tests print that they are skipped.

mod support;
#[allow(dead_code, reason = "the test needs only some of these functions")]
#[path = "../../transformer/tests/support/weights.rs"]
mod weights;

use std::path::{Path, PathBuf};

use control::Control;
use inference::{Batch, RuntimeChoice, Session, Tensor};
use support::{onnx_runtime, root};
use tokenize::{ModelInput, Tokenizer};
use transformer::weights::{Head, Output, TableValues, Weights};
use transformer::{Bits, hugging_face, onnx, quantize};
use weights::{Shape, random, to_mpnet};

const SHAPE: Shape = Shape { dim: 64, heads: 4, intermediate: 128, layers: 2, words: 100, positions: 40 };

/// Writes weights to a file and runs them on a batch. Returns the values of all outputs.
fn run(runtime: &RuntimeChoice, weights: &Weights, batch: &Batch) -> Vec<Tensor> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.onnx");
    onnx::write(weights, &path).expect("writes");
    let session = Session::open(runtime, &path, 1).expect("a model");
    let names: Vec<&str> = weights.outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!(session.outputs(), names);
    session.run(batch.clone(), &names, &Control::new()).expect("runs")
}

/// Three texts of different lengths; the shorter ones are padded.
fn batch() -> Batch {
    let input = |length: u32, type_0_count| ModelInput {
        ids: (0..length).map(|token| 5 + (token * 13 + length) % 30).collect(),
        type_0_count,
    };
    let inputs = [input(20, 7), input(9, 9), input(2, 1)];
    Batch::new(&inputs.each_ref(), 1)
}

/// The values of a text that are not those of padding. `output` has the values of a batch.
fn values_of<'a>(output: &'a Tensor, batch: &Batch, row: usize) -> &'a [f32] {
    let values = output.data.len() / batch.rows;
    let row_values = &output.data[row * values..][..values];
    let is_per_token = output.shape.get(1) == Some(&batch.length);
    let mask = &batch.mask[row * batch.length..][..batch.length];
    let tokens = mask.iter().filter(|&&mask| mask == 1).count();
    if is_per_token { &row_values[..values / batch.length * tokens] } else { row_values }
}

/// Random weights of models of each architecture, with all kinds of outputs.
fn models() -> Vec<(&'static str, Weights)> {
    let bert = random(SHAPE, 1, false);
    let mut distilbert = bert.clone();
    distilbert.embeddings.types = None;
    distilbert.embeddings.has_type_input = false;
    let mut roberta = bert.clone();
    roberta.embeddings.has_type_input = false;
    roberta.embeddings.first_position = 2;
    let types = roberta.embeddings.types.as_mut().expect("types");
    types.rows = 1;
    if let TableValues::F32(values) = &mut types.values {
        values.truncate(types.dim);
    }
    let mut mpnet = bert.clone();
    to_mpnet(&mut mpnet, 2);
    vec![("BERT", bert), ("DistilBERT", distilbert), ("RoBERTa", roberta), ("MPNet", mpnet)]
}

/// Measured: differences of at most 1.5e-6.
#[test]
fn written_files_of_floats_compute_the_same_with_onnx_runtime() {
    let Some(runtime) = onnx_runtime() else { return };
    let batch = batch();
    for (name, weights) in models() {
        let expected = run(&RuntimeChoice::BuiltIn, &weights, &batch);
        let got = run(&runtime, &weights, &batch);
        for ((output, expected), got) in weights.outputs.iter().zip(&expected).zip(&got) {
            assert_eq!(expected.shape, got.shape, "{name} {}", output.name);
            for row in 0..batch.rows {
                let pairs = values_of(expected, &batch, row).iter().zip(values_of(got, &batch, row));
                for (a, b) in pairs {
                    assert!((a - b).abs() < 1e-4, "{name} {} text {row}: {a} {b}", output.name);
                }
            }
        }
    }
}

/// Measured: cosines of at least 0.9998.
#[test]
fn written_files_of_bytes_compute_nearly_the_same_with_onnx_runtime() {
    let Some(runtime) = onnx_runtime() else { return };
    let batch = batch();
    for (name, mut weights) in models() {
        weights.outputs = vec![Output { name: "states".to_owned(), head: Head::HiddenStates }];
        let floats = run(&RuntimeChoice::BuiltIn, &weights, &batch);
        // With 7 bits, ONNX Runtime is exact on every CPU.
        let weights = quantize(&weights, Bits::Seven);
        let expected = run(&RuntimeChoice::BuiltIn, &weights, &batch);
        let got = run(&runtime, &weights, &batch);
        for row in 0..batch.rows {
            let vector = |outputs: &[Tensor]| mean(values_of(&outputs[0], &batch, row), SHAPE.dim);
            let (floats, expected, got) = (vector(&floats), vector(&expected), vector(&got));
            assert!(cosine(&expected, &got) > 0.99 && cosine(&floats, &got) > 0.99, "{name} text {row}");
        }
    }
}

fn mean(states: &[f32], dim: usize) -> Vec<f32> {
    let mut sum = vec![0.0; dim];
    for row in states.chunks(dim) {
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    sum
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

const TEXTS: [&str; 6] = [
    "How tall is the highest mountain of Africa?",
    "Kilimanjaro rises 5,895 metres above the sea, more than any other peak on the continent.",
    "A piano sounds its strings with felt hammers.",
    "The Suez Canal was opened in November 1869. It joins the Mediterranean to the Red Sea.",
    "who wrote the origin of species",
    "In 1928, Alexander Fleming noticed that a mould had killed the bacteria in a dish that he had left open.",
];

/// The folder of a Hugging Face model with the weights that `models/minilm-encoder` was exported from.
fn minilm() -> Option<PathBuf> {
    let shared =
        std::env::var_os("PASSAGEKIT_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let folder = shared.join("models/minilm-base");
    if folder.exists() {
        return Some(folder);
    }
    eprintln!("skipped: no model at {}", folder.display());
    None
}

/// The vectors of [`TEXTS`] with a model, each text in a batch of its own.
fn vectors(runtime: &RuntimeChoice, model: &Path) -> Vec<Vec<f32>> {
    let tokenizer =
        Tokenizer::open(&root().join("models/minilm-encoder/tokenizer.json")).expect("a tokenizer");
    let session = Session::open(runtime, model, 1).expect("a model");
    let vector = |text: &&str| {
        let input = tokenizer.input(&tokenizer.pieces(text).expect("pieces").ids, None);
        let states =
            session.run(Batch::new(&[&input], 0), &["last_hidden_state"], &Control::new()).expect("runs");
        mean(&states[0].data, 384)
    };
    TEXTS.iter().map(vector).collect()
}

/// The smallest cosine between the vectors of a text.
fn min_cosine(a: &[Vec<f32>], b: &[Vec<f32>]) -> f32 {
    let cosines = a.iter().zip(b).map(|(a, b)| cosine(a, b));
    // Unlike `f32::min`, keeps NaN.
    cosines.fold(1.0, |min, cosine| if cosine >= min { min } else { cosine })
}

/// Measured cosines to the vectors of floats, minimum and mean: 0.9974 and 0.9977 with 7 bits, 0.9984 and 0.9987 with
/// 8 bits, 0.991 and 0.994 with ONNX Runtime and 7 bits. The bundled encoder has 0.9974 and 0.9978.
#[test]
fn a_hugging_face_model_that_is_written_as_onnx_computes_the_vectors_of_the_bundled_encoder() {
    let Some(folder) = minilm() else { return };
    let bundled = vectors(&RuntimeChoice::BuiltIn, &root().join("models/minilm-encoder/model.onnx"));
    let weights = hugging_face::read(&folder).expect("a model");
    let written = tempfile::tempdir().expect("a folder");
    let path = written.path().join("model.onnx");
    onnx::write(&weights, &path).expect("writes");
    let floats = vectors(&RuntimeChoice::BuiltIn, &path);
    assert!(min_cosine(&floats, &bundled) > 0.99);
    let runtime = onnx_runtime();
    if let Some(runtime) = &runtime {
        assert!(min_cosine(&floats, &vectors(runtime, &path)) > 0.99999);
    }
    for bits in [Bits::Seven, Bits::Eight] {
        onnx::write(&quantize(&weights, bits), &path).expect("writes");
        let own = vectors(&RuntimeChoice::BuiltIn, &path);
        assert!(min_cosine(&floats, &own) > 0.99, "{bits:?}");
        // With 8 bits, ONNX Runtime is not exact on every CPU.
        if let (Some(runtime), Bits::Seven) = (&runtime, bits) {
            assert!(min_cosine(&floats, &vectors(runtime, &path)) > 0.98);
        }
    }
}
