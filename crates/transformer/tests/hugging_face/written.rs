//! What is written is read back.

use serde_json::json;
use transformer::hugging_face::{self, Architecture, Config, Error, FloatFormat};
use transformer::weights::{Head, Matrix, TableValues, Weights};
use transformer::{Bits, quantize};

use crate::{Kind, read_json, tensors, weights, with_one_type};

/// Writes a model to a new folder.
fn write(weights: &Weights, architecture: Architecture) -> Result<tempfile::TempDir, Error> {
    let folder = tempfile::tempdir().expect("a folder");
    hugging_face::write(folder.path(), weights, &Config::new(architecture), FloatFormat::F32)?;
    Ok(folder)
}

#[test]
fn models_of_all_architectures_are_read_back_bit_for_bit() {
    for architecture in Architecture::ALL {
        for kind in [Kind::Encoder, Kind::Reader, Kind::DprReader] {
            let weights = weights(architecture, kind);
            let folder = write(&weights, architecture).expect("writes");
            let got = hugging_face::read(folder.path()).expect("a model");
            assert!(got == weights, "{architecture:?} {kind:?}");
            let config = Config::read(folder.path()).expect("a configuration");
            assert_eq!(config.architecture(), architecture);
        }
    }
    let mut one_type = weights(Architecture::Bert, Kind::Encoder);
    with_one_type(&mut one_type);
    let folder = write(&one_type, Architecture::Bert).expect("writes");
    assert!(hugging_face::read(folder.path()).expect("a model") == one_type);
}

#[test]
fn tensors_have_the_names_and_the_layout_of_pytorch() {
    let weights = weights(Architecture::Bert, Kind::Encoder);
    let folder = write(&weights, Architecture::Bert).expect("writes");
    let tensors = tensors(folder.path());
    // 5 of the embeddings, and 16 per layer.
    assert_eq!(tensors.len(), 5 + 2 * 16);
    let floats = |name: &str| -> (Vec<usize>, Vec<f32>) {
        let (_, shape, bytes) = &tensors[name];
        (shape.clone(), bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    };
    let (shape, values) = floats("encoder.layer.1.intermediate.dense.weight");
    assert_eq!(shape, [48, 32]);
    let Matrix::F32(expected) = &weights.layers[1].intermediate.weights else { panic!("floats") };
    for output in 0..48 {
        for input in 0..32 {
            assert_eq!(values[output * 32 + input], expected[input * 48 + output]);
        }
    }
    let (shape, values) = floats("embeddings.word_embeddings.weight");
    let TableValues::F32(expected) = &weights.embeddings.words.values else { panic!("floats") };
    assert_eq!((shape, &values), (vec![40, 32], expected));
    let (_, values) = floats("encoder.layer.0.attention.output.LayerNorm.bias");
    assert_eq!(values, weights.layers[0].attention_norm.bias);
    let reader = crate::weights(Architecture::Roberta, Kind::DprReader);
    let folder = write(&reader, Architecture::Roberta).expect("writes");
    let names = crate::tensors(folder.path());
    for name in ["roberta.embeddings.LayerNorm.weight", "qa_outputs.weight", "qa_classifier.bias"] {
        assert!(names.contains_key(name), "{name}");
    }
    // The names of `MPNetModel` in `transformers` 5.23.
    let mpnet = crate::weights(Architecture::MpNet, Kind::Encoder);
    let tensors = crate::tensors(write(&mpnet, Architecture::MpNet).expect("writes").path());
    assert_eq!(tensors.len(), 5 + 2 * 16);
    let (_, shape, _) = &tensors["encoder.relative_attention_bias.weight"];
    assert_eq!(shape, &[32, 2]);
    for module in ["attn.q", "attn.k", "attn.v", "attn.o", "LayerNorm"] {
        let name = format!("encoder.layer.1.attention.{module}.weight");
        assert!(tensors.contains_key(&name), "{name}");
    }
}

#[test]
fn entries_that_do_not_follow_from_the_weights_are_kept() {
    let folder =
        write(&weights(Architecture::Roberta, Kind::Encoder), Architecture::Roberta).expect("writes");
    let mut config = Config::read(folder.path()).expect("a configuration");
    config.set("hidden_dropout_prob", 0.25);
    config.set("initializer_range", 0.02);
    config.set("vocab_size", 1);
    config.set("passagekit", json!({"pooling": "mean"}));
    config.set("dtype", "float16");
    let mut smaller = weights(Architecture::Roberta, Kind::Reader);
    smaller.layers.truncate(1);
    hugging_face::write(folder.path(), &smaller, &config, FloatFormat::F32).expect("writes");
    let expected = json!({
        "architectures": ["RobertaForQuestionAnswering"],
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.25,
        "hidden_size": 32,
        "initializer_range": 0.02,
        "intermediate_size": 48,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": 24,
        "model_type": "roberta",
        "num_attention_heads": 2,
        "num_hidden_layers": 1,
        "pad_token_id": 1,
        "passagekit": {"pooling": "mean"},
        "torch_dtype": "float32",
        "type_vocab_size": 1,
        "vocab_size": 40,
    });
    assert_eq!(read_json(folder.path()), expected);
    assert!(hugging_face::read(folder.path()).expect("a model") == smaller);
}

#[test]
fn numbers_of_16_bits_are_the_nearest_ones() {
    let weights = weights(Architecture::DistilBert, Kind::DprReader);
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config::new(Architecture::DistilBert);
    hugging_face::write(folder.path(), &weights, &config, FloatFormat::F16).expect("writes");
    let got = hugging_face::read(folder.path()).expect("a model");
    let pairs = got.layers[1].output.bias.iter().zip(&weights.layers[1].output.bias);
    for (got, original) in pairs {
        // 11 significant bits.
        assert!((got - original).abs() <= original.abs() / 2048.0, "{got} {original}");
    }
    // Numbers that 16 bits represent exactly do not change again.
    let again = tempfile::tempdir().expect("a folder");
    hugging_face::write(again.path(), &got, &config, FloatFormat::F16).expect("writes");
    assert!(hugging_face::read(again.path()).expect("a model") == got);
    assert_eq!(read_json(again.path())["torch_dtype"], "float16");
}

/// The reason why weights cannot be written.
fn unwritable(weights: &Weights, architecture: Architecture, format: FloatFormat) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    for name in ["config.json", "model.safetensors"] {
        std::fs::write(file(name), "old").expect("writes");
    }
    let result = hugging_face::write(folder.path(), weights, &Config::new(architecture), format);
    for name in ["config.json", "model.safetensors"] {
        assert_eq!(std::fs::read(file(name)).expect("the file"), b"old");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2, "no temporary files");
    match result {
        Err(Error::Unwritable { part, expected, got }) => format!("{part}: {expected}, {got}"),
        other => panic!("expected an error, got {other:?}"),
    }
}

#[test]
fn weights_that_the_format_cannot_represent_are_refused_and_old_files_stay() {
    use Architecture::{Bert, DistilBert, Roberta};
    let bert = weights(Bert, Kind::Encoder);
    let check = |change: &dyn Fn(&mut Weights), architecture, expected: &str| {
        let mut changed = bert.clone();
        change(&mut changed);
        let got = unwritable(&changed, architecture, FloatFormat::F32);
        assert!(got.contains(expected), "{got}");
    };
    check(&|weights| *weights = quantize(weights, Bits::Eight), Bert, "floats, bytes of a quantized model");
    check(&|_| {}, DistilBert, "no token types");
    check(&|_| {}, Roberta, "the first position: at least 1, 0");
    check(&|weights| weights.embeddings.first_position = 2, Bert, "the first position: 0, 2");
    check(&|weights| weights.embeddings.has_type_input = false, Bert, "1 token type");
    check(&|weights| weights.embeddings.types = None, Bert, "at least 2 token types");
    check(&|weights| weights.layers[1].output_norm.epsilon = 0.1, Bert, "the epsilon of a normalization");
    check(&|weights| weights.layers[1].scale = 0.2, Bert, "the scale of the attention: 0.25, 0.2");
    check(&|weights| weights.layers[1].heads = 1, Bert, "attention heads");
    check(
        &|weights| weights.layers[0].key.bias[3] = f32::NAN,
        Bert,
        "attention.self.key.bias: finite numbers, NaN",
    );
    check(&|weights| weights.outputs[0].head = Head::FirstToken, Bert, "outputs: hidden states");
    check(&|weights| weights.outputs.clear(), Bert, "outputs: hidden states");
    let mut large = bert.clone();
    large.layers[0].key.bias[3] = 65_520.0;
    assert!(unwritable(&large, Bert, FloatFormat::F16).contains("absolute values below 65520, 65520"));
    let mut reader = weights(Bert, Kind::Reader);
    if let Head::TokenLogits { linear, .. } = &mut reader.outputs[0].head {
        linear.bias[0] += 1.0;
    }
    assert!(unwritable(&reader, Bert, FloatFormat::F32).contains("both outputs of one linear layer"));
}

#[test]
fn weights_that_do_not_fit_together_are_refused() {
    let mut weights = weights(Architecture::Bert, Kind::Encoder);
    weights.layers[0].query.bias.pop();
    assert!(matches!(write(&weights, Architecture::Bert), Err(Error::Weights(_))));
}

#[test]
fn a_folder_is_created_and_a_file_in_its_place_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let weights = weights(Architecture::Bert, Kind::Encoder);
    let config = Config::new(Architecture::Bert);
    let inner = folder.path().join("a/b");
    hugging_face::write(&inner, &weights, &config, FloatFormat::F32).expect("writes");
    assert!(hugging_face::read(&inner).expect("a model") == weights);
    let file = inner.join("config.json");
    assert!(matches!(
        hugging_face::write(&file, &weights, &config, FloatFormat::F32),
        Err(Error::Storage(_))
    ));
}
