//! Damaged files are refused with an error, and none makes the reader panic.

use std::path::Path;

use safetensors::Dtype;
use serde_json::{Value, json};
use transformer::Model;
use transformer::hugging_face::{self, Architecture, Error};

use crate::refused::model;
use crate::{Kind, Tensors, set_entry, tensors, write_tensors};

/// The message for a damaged model.
fn damaged(folder: &Path) -> String {
    match hugging_face::read(folder) {
        Err(error @ Error::Malformed { .. }) => error.to_string(),
        other => panic!("expected an error, got {other:?}"),
    }
}

/// Checks the message for a DPR reader whose tensors were changed.
fn assert_damaged(change: impl FnOnce(&mut Tensors), expected: &str) {
    let folder = model(Architecture::Bert, Kind::DprReader);
    let mut tensors = tensors(folder.path());
    change(&mut tensors);
    write_tensors(folder.path(), &tensors);
    let got = damaged(folder.path());
    assert!(got.contains(expected), "{got}");
}

#[test]
fn missing_files_are_reported() {
    for name in ["config.json", "model.safetensors"] {
        let folder = model(Architecture::Bert, Kind::Encoder);
        std::fs::remove_file(folder.path().join(name)).expect("removes");
        let error = hugging_face::read(folder.path()).expect_err("missing");
        assert!(matches!(&error, Error::Storage(_)), "{error}");
        assert!(error.to_string().contains(name), "{error}");
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
        assert!(matches!(hugging_face::read(folder.path()), Err(Error::Storage(_))));
    }
}

#[test]
fn missing_tensors_and_wrong_shapes_are_reported() {
    let query = "bert.encoder.layer.1.attention.self.query.weight";
    assert_damaged(|tensors| drop(tensors.remove(query)), &format!("tensor `{query}`"));
    assert_damaged(|tensors| drop(tensors.remove("qa_outputs.bias")), "tensor `qa_outputs.bias`");
    assert_damaged(|tensors| drop(tensors.remove("bert.embeddings.word_embeddings.weight")), "got none");
    assert_damaged(
        |tensors| tensors.get_mut(query).expect("a tensor").1 = vec![16, 64],
        "expected tensor `bert.encoder.layer.1.attention.self.query.weight`: the shape [32, 32], got [16, 64]",
    );
    assert_damaged(
        |tensors| {
            let classes = vec![0; 3 * 32 * 4];
            tensors.insert("qa_outputs.weight".to_owned(), (Dtype::F32, vec![3, 32], classes));
        },
        "the shape [2, 32], got [3, 32]",
    );
    assert_damaged(
        |tensors| {
            tensors.get_mut(query).expect("a tensor").2[..4].copy_from_slice(&f32::NAN.to_le_bytes());
        },
        "finite numbers, got NaN at position 0",
    );
}

#[test]
fn numbers_of_other_types_are_refused() {
    let folder = model(Architecture::Bert, Kind::Encoder);
    let mut tensors = tensors(folder.path());
    let norm = tensors.get_mut("embeddings.LayerNorm.bias").expect("a tensor");
    *norm = (Dtype::F64, vec![32], vec![0; 32 * 8]);
    write_tensors(folder.path(), &tensors);
    let error = hugging_face::read(folder.path()).expect_err("not supported");
    assert!(matches!(&error, Error::Unsupported { got, .. } if got == "F64"), "{error}");
}

#[test]
fn configurations_without_valid_sizes_are_refused() {
    let cases = [
        ("hidden_size", Value::Null),
        ("hidden_size", json!(-1)),
        ("hidden_size", json!(3.5)),
        ("num_hidden_layers", json!("2")),
        ("num_hidden_layers", json!(u64::MAX)),
        ("vocab_size", json!(u64::MAX)),
        ("intermediate_size", json!(u64::MAX)),
        ("num_attention_heads", json!(0)),
        ("num_attention_heads", json!(5)),
        ("max_position_embeddings", json!(25)),
        ("type_vocab_size", json!(1u64 << 60)),
        ("layer_norm_eps", json!("small")),
        ("layer_norm_eps", json!(-1.0)),
    ];
    for (key, value) in cases {
        let folder = model(Architecture::Bert, Kind::Encoder);
        set_entry(folder.path(), key, &value);
        damaged(folder.path());
    }
    let folder = model(Architecture::Roberta, Kind::Encoder);
    set_entry(folder.path(), "pad_token_id", &json!(u64::MAX));
    assert!(hugging_face::read(folder.path()).is_err());
    set_entry(folder.path(), "pad_token_id", &json!(23));
    assert!(
        matches!(hugging_face::read(folder.path()), Err(Error::Weights(_))),
        "no row for the first position"
    );
    for text in ["", "[]", "{", "null", "\u{0}", &"[".repeat(100_000)] {
        std::fs::write(folder.path().join("config.json"), text).expect("writes");
        damaged(folder.path());
    }
}

#[test]
fn truncated_files_are_refused() {
    let folder = model(Architecture::Bert, Kind::Encoder);
    let path = folder.path().join("model.safetensors");
    let bytes = std::fs::read(&path).expect("the file");
    for part in 0..40 {
        std::fs::write(&path, &bytes[..bytes.len() * part / 40]).expect("writes");
        damaged(folder.path());
    }
    std::fs::write(&path, [bytes.as_slice(), &[0]].concat()).expect("writes");
    damaged(folder.path());
}

#[test]
fn sizes_in_headers_that_exceed_the_file_are_refused() {
    let folder = model(Architecture::Bert, Kind::Encoder);
    let path = folder.path().join("model.safetensors");
    for length in [u64::MAX, 1 << 40, 99_999_999] {
        std::fs::write(&path, length.to_le_bytes()).expect("writes");
        damaged(folder.path());
    }
    let huge = u64::MAX / 8;
    let tensor = "embeddings.word_embeddings.weight";
    for (shape, end) in [
        (json!([huge, 8]), json!(u64::MAX)),
        (json!([1u64 << 40]), json!(1u64 << 42)),
        (json!([40, 32]), json!(40 * 32 * 4)),
        (json!([0, u64::MAX]), json!(0)),
        (json!([-1]), json!(4)),
    ] {
        let header = json!({tensor: {"dtype": "F32", "shape": shape, "data_offsets": [0, end]}}).to_string();
        let file = [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
        std::fs::write(&path, file).expect("writes");
        damaged(folder.path());
    }
}

#[test]
fn damaged_headers_are_refused_or_read_without_a_panic() {
    let folder = model(Architecture::Bert, Kind::DprReader);
    let path = folder.path().join("model.safetensors");
    let bytes = std::fs::read(&path).expect("the file");
    let mut state = 1u64;
    for _ in 0..500 {
        let mut damaged = bytes.clone();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (state >> 33) as usize % 4096;
        damaged[at] ^= (state >> 25) as u8 | 1;
        std::fs::write(&path, &damaged).expect("writes");
        if let Ok(weights) = hugging_face::read(folder.path()) {
            drop(Model::new(weights));
        }
    }
}
