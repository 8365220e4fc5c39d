//! Tests that heads of all model families are read, and that they transform vectors as the definition requires.

mod support;

use std::path::Path;

use proptest::prelude::*;
use safetensors::Dtype;
use support::{NamedTensor, Parts, gelu, write};
use vocabulary::{Error, Head};

/// The tensor names of a BERT checkpoint, in the order of `Parts::values`.
const BERT: [&str; 6] = [
    "cls.predictions.transform.dense.weight",
    "cls.predictions.transform.dense.bias",
    "cls.predictions.transform.LayerNorm.weight",
    "cls.predictions.transform.LayerNorm.bias",
    "cls.predictions.decoder.weight",
    "cls.predictions.bias",
];

/// Writes tensors, and `config.json` if given, to a model folder and opens its head.
fn open_head(tensors: &[NamedTensor], dtype: Dtype, config: Option<&str>) -> Result<Head, Error> {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder.path().join("model.safetensors"), tensors, dtype);
    if let Some(config) = config {
        std::fs::write(folder.path().join("config.json"), config).expect("written");
    }
    Head::open(folder.path())
}

#[test]
fn every_family_and_number_format_gives_the_same_head() {
    let parts = Parts::new(3, 4, 5, 1);
    let expected = open_head(&parts.named(BERT), Dtype::F32, None).expect("a head");
    assert_eq!((expected.dim(), expected.inner_dim(), expected.vocabulary_size()), (3, 4, 5));
    assert_eq!(expected.decoder(), parts.values[4]);
    assert_eq!(expected.bias(), parts.values[5]);
    let families = [
        BERT,
        [
            "predictions.transform.dense.weight",
            "predictions.transform.dense.bias",
            "predictions.transform.LayerNorm.gamma",
            "predictions.transform.LayerNorm.beta",
            "bert.embeddings.word_embeddings.weight",
            "predictions.bias",
        ],
        [
            "lm_head.dense.weight",
            "lm_head.dense.bias",
            "lm_head.layer_norm.weight",
            "lm_head.layer_norm.bias",
            "lm_head.decoder.weight",
            "lm_head.decoder.bias",
        ],
        [
            "model.lm_head.dense.weight",
            "model.lm_head.dense.bias",
            "model.lm_head.layer_norm.weight",
            "model.lm_head.layer_norm.bias",
            "model.mpnet.embeddings.word_embeddings.weight",
            "model.lm_head.bias",
        ],
        [
            "vocab_transform.weight",
            "vocab_transform.bias",
            "vocab_layer_norm.weight",
            "vocab_layer_norm.bias",
            "vocab_projector.weight",
            "vocab_projector.bias",
        ],
        [
            "dense.weight",
            "dense.bias",
            "layer_norm.weight",
            "layer_norm.bias",
            "decoder.weight",
            "decoder.bias",
        ],
    ];
    for names in families {
        for dtype in [Dtype::F32, Dtype::F16, Dtype::BF16] {
            let mut tensors = parts.named(names);
            // Other tensors of a checkpoint, whose names have the same endings as those of the head.
            let other = |name: &str| (name.to_owned(), vec![2, 2], vec![0.5; 4]);
            tensors.push(other("bert.encoder.layer.0.attention.output.dense.weight"));
            tensors.push(other("roberta.embeddings.position_embeddings.weight"));
            assert_eq!(open_head(&tensors, dtype, None).expect("a head"), expected, "{names:?} as {dtype:?}");
        }
    }
}

#[test]
fn a_bias_from_which_token_frequencies_were_removed_is_preferred() {
    let parts = Parts::new(2, 2, 3, 2);
    let names = [
        "dense.weight",
        "dense.bias",
        "layer_norm.weight",
        "layer_norm.bias",
        "decoder.weight",
        "decoder.bias",
    ];
    let mut tensors = parts.named(names);
    tensors.push(("decoder.bias_centred".to_owned(), vec![3], vec![1.0, 2.0, 3.0]));
    assert_eq!(open_head(&tensors, Dtype::F32, None).expect("a head").bias(), [1.0, 2.0, 3.0]);
}

#[test]
fn the_configuration_sets_activation_and_epsilon() {
    let parts = Parts::new(5, 6, 2, 3);
    let vector = [0.3, -0.7, 0.1, 0.9, -0.2];
    let gelu_tanh =
        |x: f64| 0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh());
    let assert_transform = |config: Option<&str>, gelu: &dyn Fn(f64) -> f64, epsilon: f64| {
        let head = open_head(&parts.named(BERT), Dtype::F32, config).expect("a head");
        for (got, (expected, bound)) in
            head.transform(&vector).iter().zip(parts.transform(&vector, gelu, epsilon))
        {
            assert!(
                (f64::from(*got) - expected).abs() <= bound,
                "{config:?}: {got} is not {expected} ± {bound:e}"
            );
        }
    };
    assert_transform(None, &gelu, 1e-12);
    assert_transform(Some(r#"{"hidden_act": "gelu", "layer_norm_eps": 0.5}"#), &gelu, 0.5);
    assert_transform(Some(r#"{"hidden_act": "gelu_new", "layer_norm_eps": 1e-05}"#), &gelu_tanh, 1e-5);
}

#[test]
fn invalid_heads_are_refused() {
    let parts = Parts::new(2, 3, 4, 4);
    let refused = |tensors: &[NamedTensor], config: Option<&str>| {
        open_head(tensors, Dtype::F32, config).expect_err("no head").to_string()
    };
    let tensors = parts.named(BERT);
    assert!(refused(&tensors[1..], None).contains("expected a masked-language-model head with predictions"));
    assert!(
        refused(&tensors[..5], None)
            .contains("expected predictions.bias or predictions.decoder.bias of a BERT head")
    );

    let mut reshaped = parts.named(BERT);
    reshaped[1].1 = vec![1, 3];
    assert!(refused(&reshaped, None).ends_with("transform.dense.bias of shape [3], got [1, 3]"));
    let mut infinite = parts.named(BERT);
    infinite[4].2[7] = f32::INFINITY;
    assert!(refused(&infinite, None).ends_with("decoder.weight\", got inf at position 7"));
    assert!(refused(&tensors, Some(r#"{"hidden_act": "silu"}"#)).ends_with("got \"silu\""));
    assert!(refused(&tensors, Some(r#"{"layer_norm_eps": -1}"#)).ends_with("a number above 0, got -1"));
    assert!(refused(&tensors, Some("{")).contains("config.json: expected JSON"));

    let folder = tempfile::tempdir().expect("a folder");
    assert!(matches!(Head::open(folder.path()), Err(Error::Format { .. })));
    let path = folder.path().join("model.safetensors");
    write(&path, &tensors, Dtype::F32);
    let complete = std::fs::read(&path).expect("a file");
    for length in [0, 5, 8, 40, complete.len() - 1] {
        std::fs::write(&path, &complete[..length]).expect("written");
        assert!(
            matches!(Head::open(folder.path()), Err(Error::Format { .. })),
            "truncated to {length} bytes"
        );
    }
}

#[test]
fn the_heads_of_this_repository_open() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let head = Head::open(&models.join("minilm-mlm-head")).expect("a head");
    assert_eq!((head.dim(), head.inner_dim(), head.vocabulary_size()), (384, 384, 30_522));
    let head = Head::open(&models.join("tiny-encoder")).expect("a head");
    assert_eq!((head.dim(), head.inner_dim(), head.vocabulary_size()), (128, 128, 8_000));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn transformed_rows_agree_with_the_definition(
        dim in 1usize..40,
        inner in 2usize..40,
        seed in any::<u64>(),
        rows in prop::collection::vec(prop::collection::vec(-3f32..3.0, 40), 1..5),
        copies in 1usize..80,
    ) {
        let parts = Parts::new(dim, inner, 1, seed);
        let head = open_head(&parts.named(BERT), Dtype::F32, None).expect("a head");
        let vectors: Vec<f32> = rows.iter().flat_map(|row| row[..dim].to_vec()).collect();
        let transformed = head.transform(&vectors);
        for (row, got) in rows.iter().zip(transformed.chunks_exact(inner)) {
            for (got, (expected, bound)) in got.iter().zip(parts.transform(&row[..dim], gelu, 1e-12)) {
                // If activations are nearly equal, there is no useful error bound.
                prop_assume!(bound >= 0.0);
                prop_assert!((f64::from(*got) - expected).abs() <= bound, "{got} is not {expected} ± {bound:e}");
            }
        }
        // The result does not depend on the number of rows or on the position of a row.
        prop_assert_eq!(head.transform(&vectors.repeat(copies)), transformed.repeat(copies));
    }
}
