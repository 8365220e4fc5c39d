//! Models are read from the files of several exporters and compute what ONNX Runtime computes; others are refused with
//! a reason, and damaged files with an error. `files/make.py` made the files.

use std::path::{Path, PathBuf};

use control::Control;
use safetensors::SafeTensors;
use transformer::onnx::{self, Error};
use transformer::weights::{Head, Matrix, TableValues, Weights};
use transformer::{Model, Text};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

fn own_model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name).join("model.onnx")
}

/// Reads a file of `tests/files` that is a model.
fn read(name: &str) -> Weights {
    onnx::read(&file(&format!("{name}.onnx"))).unwrap_or_else(|error| panic!("{error}"))
}

/// Reads a file that is not a model, and returns the reason.
fn refused(path: &Path) -> String {
    match onnx::read(path) {
        Err(Error::Unrecognized { reason, .. }) => reason.to_string(),
        other => panic!("{}: expected a refusal, got {other:?}", path.display()),
    }
}

/// The texts of `expected.safetensors`, and what ONNX Runtime computes for them.
struct Expected(Vec<u8>);

impl Expected {
    fn open() -> Self {
        Self(std::fs::read(file("expected.safetensors")).expect("the file"))
    }

    fn tensor(&self, name: &str) -> (Vec<usize>, Vec<u8>) {
        let tensors = SafeTensors::deserialize(&self.0).expect("safetensors");
        let tensor = tensors.tensor(name).expect("an output");
        (tensor.shape().to_vec(), tensor.data().to_vec())
    }

    fn integers(&self, name: &str) -> Vec<Vec<i64>> {
        let (shape, bytes) = self.tensor(name);
        let values: Vec<i64> = bytes.as_chunks().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect();
        values.chunks(shape[1]).map(<[i64]>::to_vec).collect()
    }

    fn floats(&self, name: &str) -> (Vec<usize>, Vec<f32>) {
        let (shape, bytes) = self.tensor(name);
        (shape, bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    /// The ids and the number of tokens of type 0 of each text.
    fn texts(&self) -> Vec<(Vec<u32>, usize)> {
        let (ids, mask, types) = (self.integers("ids"), self.integers("mask"), self.integers("types"));
        let text = |((ids, mask), types): ((&Vec<i64>, Vec<i64>), Vec<i64>)| {
            let tokens = mask.iter().filter(|&&mask| mask == 1).count();
            let ids = ids[..tokens].iter().map(|&id| u32::try_from(id).expect("an id")).collect();
            (ids, types[..tokens].iter().take_while(|&&token_type| token_type == 0).count())
        };
        ids.iter().zip(mask).zip(types).map(text).collect()
    }
}

#[test]
fn models_of_several_exporters_compute_what_onnx_runtime_computes() {
    let expected = Expected::open();
    let texts = expected.texts();
    let borrowed: Vec<Text<'_>> =
        texts.iter().map(|(ids, types)| Text { ids, type_0_count: *types }).collect();
    // The activations of models of bytes are rounded.
    let models = [
        ("bert-script", 1e-4),
        ("bert-dynamo", 1e-4),
        ("bert-dynamo-20", 1e-4),
        ("bert-old-script", 1e-4),
        ("bert-sdpa", 1e-4),
        ("bert-no-types", 1e-4),
        ("bert-int8", 0.15),
        ("bert-int8-per-tensor", 0.15),
        ("bert-answers", 1e-4),
        ("distilbert-script", 1e-4),
        ("roberta-script", 1e-4),
        ("mpnet-script", 1e-4),
        ("mpnet-dynamo", 1e-4),
        ("mpnet-int8", 0.15),
    ];
    for (name, tolerance) in models {
        let model = Model::new(read(name)).expect("a model");
        let outputs: Vec<usize> = (0..model.outputs().len()).collect();
        for (output, values) in
            model.outputs().iter().zip(model.run(&borrowed, &outputs, false, &Control::new()).expect("runs"))
        {
            let (shape, data) = expected.floats(&format!("{name}.{output}"));
            let mut rows = values.data.chunks(values.dim);
            let length = if values.is_per_token { shape[1] } else { 1 };
            assert_eq!(data.len(), texts.len() * length * values.dim, "{name} {output}");
            for (text, of_text) in texts.iter().zip(data.chunks(length * values.dim)) {
                let tokens = if values.is_per_token { text.0.len() } else { 1 };
                for expected in of_text.chunks(values.dim).take(tokens) {
                    for (got, expected) in rows.next().expect("a row").iter().zip(expected) {
                        let difference = (got - expected).abs();
                        assert!(difference < tolerance, "{name} {output}: {got}, expected {expected}");
                    }
                }
            }
            assert!(rows.next().is_none(), "{name} {output}");
        }
    }
}

#[test]
fn the_parameters_of_the_bundled_models_are_read() {
    let weights = onnx::read(&own_model("minilm-encoder")).expect("a model");
    let embeddings = &weights.embeddings;
    assert_eq!((embeddings.words.rows, embeddings.words.dim, embeddings.positions.rows), (30_522, 384, 512));
    assert_eq!((embeddings.first_position, embeddings.has_type_input), (0, true));
    assert!(matches!(embeddings.words.values, TableValues::U8 { zero: 83, .. }));
    assert_eq!(weights.layers.len(), 6);
    for layer in &weights.layers {
        assert_eq!((layer.heads, layer.intermediate.outputs), (12, 1536));
        assert!((layer.scale - 0.176_776_7).abs() < 1e-7);
        assert!((layer.output_norm.epsilon - 1e-12).abs() < 1e-18);
        assert!(matches!(layer.query.weights, Matrix::I8 { .. }));
    }
    let heads = |model: &str| {
        let outputs = onnx::read(&own_model(model)).expect("a model").outputs;
        outputs.into_iter().map(|output| (output.name, output.head)).collect::<Vec<_>>()
    };
    assert!(
        matches!(heads("minilm-encoder").as_slice(), [(name, Head::HiddenStates)] if name == "last_hidden_state")
    );
    let reader = heads("minilm-reader");
    let names: Vec<&str> = reader.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["start_logits", "end_logits", "relevance_logit"]);
    assert!(matches!(reader[0].1, Head::TokenLogits { column: 0, .. }));
    assert!(matches!(reader[1].1, Head::TokenLogits { column: 1, .. }));
    assert!(matches!(reader[2].1, Head::FirstTokenLogits { column: 0, .. }));
}

#[test]
fn models_of_other_architectures_are_refused_with_the_reason() {
    let reasons = [
        ("uint8.onnx", "weights that fit into signed bytes after their zero point is subtracted"),
        ("causal.onnx", "a mask"),
        ("relu.onnx", "GELU"),
        ("gelu-tanh.onnx", "GELU"),
        ("mean.onnx", "hidden states"),
    ];
    for (name, reason) in reasons {
        let got = refused(&file(name));
        assert!(got.contains(reason), "{name}: {got}");
    }
    for name in ["tiny-encoder", "tiny-reader"] {
        let got = refused(&own_model(name));
        assert!(got.starts_with("node `"), "{name}: {got}");
    }
}

#[test]
fn missing_files_and_files_that_are_no_models_are_refused() {
    assert!(matches!(onnx::read(&file("none.onnx")), Err(Error::Io { .. })));
    assert!(matches!(onnx::read(&file("make.py")), Err(Error::Malformed { .. })));
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("empty.onnx");
    std::fs::write(&empty, b"").expect("writes");
    assert!(matches!(onnx::read(&empty), Err(Error::Malformed { .. })));
}

#[test]
fn damaged_files_are_refused_or_read_without_a_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("damaged.onnx");
    for name in ["bert-int8", "bert-answers", "roberta-script"] {
        let bytes = std::fs::read(file(&format!("{name}.onnx"))).expect("the file");
        let read_bytes = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("writes");
            if let Ok(weights) = onnx::read(&path)
                && let Ok(model) = Model::new(weights)
            {
                let text = Text { ids: &[5, 6, 7], type_0_count: 3 };
                let _ = model.run(&[text], &[0], false, &Control::new());
            }
        };
        for part in 1..40 {
            let truncated = &bytes[..bytes.len() * part / 40];
            std::fs::write(&path, truncated).expect("writes");
            assert!(onnx::read(&path).is_err(), "{name}: {part}/40");
        }
        // The graph's nodes are at the start of the file or at its end; its weights are between.
        let mut state = 1u64;
        for _ in 0..150 {
            let mut damaged = bytes.clone();
            for _ in 0..3 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (state >> 33) as usize % 16_384;
                let at = if state & 1 << 20 == 0 {
                    at.min(bytes.len() - 1)
                } else {
                    bytes.len() - 1 - at.min(bytes.len() - 1)
                };
                damaged[at] ^= (state >> 25) as u8 | 1;
            }
            read_bytes(&damaged);
        }
    }
}
