//! Models of other architectures are refused with the reason.

use std::path::Path;

use serde_json::{Value, json};
use transformer::hugging_face::{self, Architecture, Config, Error, FloatFormat};

use crate::{Kind, set_entry, weights};

/// Writes a model and returns its folder.
pub fn model(architecture: Architecture, kind: Kind) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config::new(architecture);
    hugging_face::write(folder.path(), &weights(architecture, kind), &config, FloatFormat::F32)
        .expect("writes");
    folder
}

/// The message for a model that is not supported.
fn unsupported(folder: &Path) -> String {
    match hugging_face::read(folder) {
        Err(error @ Error::Unsupported { .. }) => error.to_string(),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[test]
fn architectures_that_compute_something_else_are_refused() {
    let cases = [
        (
            "model_type",
            json!("albert"),
            "expected bert, roberta, xlm-roberta, distilbert, mpnet, got \"albert\"",
        ),
        ("model_type", Value::Null, "got none"),
        ("hidden_act", json!("gelu_new"), "`hidden_act`: expected \"gelu\", got \"gelu_new\""),
        ("hidden_act", json!("relu"), "got \"relu\""),
        ("position_embedding_type", json!("relative_key"), "expected \"absolute\", got \"relative_key\""),
        ("is_decoder", json!(true), "`is_decoder`: expected false, got true"),
        ("add_cross_attention", json!(true), "expected false, got true"),
        ("quantization_config", json!({"bits": 4}), "a model of floats"),
    ];
    for (key, value, expected) in cases {
        let folder = model(Architecture::Bert, Kind::Encoder);
        set_entry(folder.path(), key, &value);
        let got = unsupported(folder.path());
        assert!(got.contains(expected), "{got}");
        assert!(Config::read(folder.path()).is_err());
    }
    let folder = model(Architecture::DistilBert, Kind::Encoder);
    set_entry(folder.path(), "activation", &json!("relu"));
    assert!(unsupported(folder.path()).contains("`activation`: expected \"gelu\", got \"relu\""));
}

#[test]
fn entries_with_defaults_may_be_missing() {
    let folder = model(Architecture::Bert, Kind::Encoder);
    for key in ["hidden_act", "layer_norm_eps", "type_vocab_size", "architectures", "torch_dtype"] {
        set_entry(folder.path(), key, &Value::Null);
    }
    let expected = weights(Architecture::Bert, Kind::Encoder);
    assert!(hugging_face::read(folder.path()).expect("a model") == expected);
    let folder = model(Architecture::Roberta, Kind::Encoder);
    set_entry(folder.path(), "pad_token_id", &Value::Null);
    assert_eq!(hugging_face::read(folder.path()).expect("a model").embeddings.first_position, 2);
    let folder = model(Architecture::MpNet, Kind::Encoder);
    set_entry(folder.path(), "relative_attention_num_buckets", &Value::Null);
    // In MPNet, the padding is the token 1, whatever the configuration says.
    set_entry(folder.path(), "pad_token_id", &json!(0));
    let expected = weights(Architecture::MpNet, Kind::Encoder);
    assert!(hugging_face::read(folder.path()).expect("a model") == expected);
}

#[test]
fn sizes_that_the_kernels_do_not_support_are_refused() {
    let folder = model(Architecture::Bert, Kind::Encoder);
    // Heads of 8 dimensions.
    set_entry(folder.path(), "num_attention_heads", &json!(4));
    assert!(matches!(hugging_face::read(folder.path()), Err(Error::Weights(_))));
}

#[test]
fn relative_position_biases_belong_to_mpnet_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |architecture, weights: &transformer::weights::Weights| {
        let result =
            hugging_face::write(folder.path(), weights, &Config::new(architecture), FloatFormat::F32);
        result.expect_err("a refusal").to_string()
    };
    let mut mpnet = weights(Architecture::MpNet, Kind::Encoder);
    let biases = mpnet.relative_position_biases.take();
    let got = write(Architecture::MpNet, &mpnet);
    assert!(got.contains("mpnet: relative position biases: expected some, got none"), "{got}");
    let mut roberta = weights(Architecture::Roberta, Kind::Encoder);
    roberta.relative_position_biases = biases;
    let got = write(Architecture::Roberta, &roberta);
    assert!(got.contains("roberta: relative position biases: expected none, got some"), "{got}");
}

#[test]
fn first_positions_and_buckets_of_mpnet_are_fixed() {
    let mut shifted = weights(Architecture::MpNet, Kind::Encoder);
    shifted.embeddings.first_position = 1;
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config::new(Architecture::MpNet);
    let got = hugging_face::write(folder.path(), &shifted, &config, FloatFormat::F32).expect_err("a refusal");
    assert!(got.to_string().contains("mpnet: the first position: expected 2, got 1"), "{got}");
    let folder = model(Architecture::MpNet, Kind::Encoder);
    set_entry(folder.path(), "relative_attention_num_buckets", &json!(64));
    let got = unsupported(folder.path());
    assert!(got.contains("`relative_attention_num_buckets`: expected 32, got 64"), "{got}");
}
