//! Reads files in the forms of other programs: with a prefix, with other tensors, with the names of old versions, and
//! with numbers of 16 bits.

use std::path::Path;

use control::Control;
use safetensors::Dtype;
use transformer::hugging_face::{self, Architecture, Config};
use transformer::weights::{Head, Weights};
use transformer::{Model, Text, onnx};

use crate::refused::model;
use crate::{Kind, Tensors, tensors, weights, write_tensors};

/// Reads an encoder whose tensors were changed.
fn read_changed(architecture: Architecture, change: impl FnOnce(Tensors) -> Tensors) -> Weights {
    let folder = model(architecture, Kind::Encoder);
    write_tensors(folder.path(), &change(tensors(folder.path())));
    hugging_face::read(folder.path()).expect("a model")
}

#[test]
fn names_may_have_a_prefix() {
    for (architecture, prefix) in [
        (Architecture::Bert, "bert."),
        (Architecture::Roberta, "roberta."),
        (Architecture::XlmRoberta, "roberta."),
        (Architecture::DistilBert, "distilbert."),
        (Architecture::MpNet, "mpnet."),
    ] {
        let got = read_changed(architecture, |tensors| {
            tensors.into_iter().map(|(name, tensor)| (format!("{prefix}{name}"), tensor)).collect()
        });
        assert!(got == weights(architecture, Kind::Encoder), "{architecture:?}");
    }
}

#[test]
fn other_tensors_are_ignored() {
    let got = read_changed(Architecture::Bert, |mut tensors| {
        let other = |dtype, shape: &[usize], bytes| (dtype, shape.to_vec(), vec![0; bytes]);
        tensors.insert("pooler.dense.weight".to_owned(), other(Dtype::F32, &[32, 32], 4096));
        tensors.insert("embeddings.position_ids".to_owned(), other(Dtype::I64, &[1, 24], 192));
        tensors.insert("cls.predictions.bias".to_owned(), other(Dtype::F32, &[40], 160));
        tensors.insert("qa_classifier.weight".to_owned(), other(Dtype::F32, &[1, 32], 128));
        tensors
    });
    assert!(got == weights(Architecture::Bert, Kind::Encoder));
}

#[test]
fn normalizations_with_the_names_of_tensorflow_are_read() {
    let got = read_changed(Architecture::Bert, |tensors| {
        let renamed = |name: String| {
            let name = name.replace("LayerNorm.weight", "LayerNorm.gamma");
            name.replace("LayerNorm.bias", "LayerNorm.beta")
        };
        tensors.into_iter().map(|(name, tensor)| (renamed(name), tensor)).collect()
    });
    assert!(got == weights(Architecture::Bert, Kind::Encoder));
}

#[test]
fn numbers_of_16_bits_are_widened() {
    // 1, −2 and 0.5 in both formats.
    for (dtype, halves) in
        [(Dtype::F16, [0x3C00u16, 0xC000, 0x3800]), (Dtype::BF16, [0x3F80, 0xC000, 0x3F00])]
    {
        let got = read_changed(Architecture::Bert, |mut tensors| {
            let values = (0..32).flat_map(|at| halves[at % 3].to_le_bytes()).collect();
            tensors.insert("embeddings.LayerNorm.bias".to_owned(), (dtype, vec![32], values));
            tensors
        });
        let expected: Vec<f32> = (0..32).map(|at| [1.0, -2.0, 0.5][at % 3]).collect();
        assert_eq!(got.embeddings.norm.bias, expected);
    }
}

/// Mean of the hidden states, of unit length.
fn vector(model: &Model, ids: &[u32]) -> Vec<f32> {
    let text = Text { ids, type_0_count: ids.len() };
    let values = model.run(&[text], &[0], false, &Control::new()).expect("runs").remove(0);
    let mut sum = vec![0.0f32; values.dim];
    for row in values.data.chunks(values.dim) {
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    let norm = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    sum.iter().map(|value| value / norm).collect()
}

/// The bundled encoder was exported from this model with PyTorch, and quantized with ONNX Runtime. Measured: 0.998.
#[test]
fn a_model_of_the_hub_computes_nearly_the_vectors_of_the_bundled_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("PASSAGEKIT_SHARED").map_or_else(|| root.join("../shared"), Into::into);
    let folder = shared.join("models/minilm-base");
    if !folder.exists() {
        eprintln!("skipped: no model at {}", folder.display());
        return;
    }
    let weights = hugging_face::read(&folder).expect("a model");
    assert!(matches!(weights.outputs[0].head, Head::HiddenStates));
    assert_eq!((weights.layers.len(), weights.embeddings.words.rows), (6, 30_522));
    assert_eq!(Config::read(&folder).expect("a configuration").get("hidden_dropout_prob"), Some(&0.1.into()));
    let model = Model::new(weights).expect("a model");
    let ids: [u32; 9] = [101, 2129, 4206, 2003, 1996, 3284, 3137, 1029, 102];
    assert_eq!(vector(&model, &ids).len(), 384);
    let bundled = onnx::read(&root.join("models/minilm-encoder/model.onnx")).expect("a model");
    let bundled = Model::new(bundled).expect("a model");
    let cosine: f32 = vector(&model, &ids).iter().zip(vector(&bundled, &ids)).map(|(a, b)| a * b).sum();
    assert!(cosine > 0.99, "{cosine}");
}
