//! Runs encoders with the models in this repository's folder `models/`, with the crate `transformer` and with ONNX
//! Runtime. The ONNX Runtime library comes from the path in the environment variable `ORT_DYLIB_PATH`, or else from the
//! npm package `onnxruntime-node`. Without the library, each test prints that ONNX Runtime is skipped.

#[path = "support/onnx.rs"]
mod onnx;
mod support;

use std::sync::Arc;

use control::Control;
use inference::{
    EncodeOptions, Encoder, EncoderConfig, EncoderInput, Error, PassageForm, Pooling, Runtime, RuntimeChoice,
    Session, TokenTypes,
};
use support::{onnx_runtime, open_model, open_rewritten_model, root, runtimes};

/// Opens `models/minilm-encoder` as a sentence encoder: mean pooling, unit length, title and text joined.
fn sentence_encoder(runtime: &RuntimeChoice) -> Encoder {
    let (session, tokenizer) = open_model(runtime, "minilm-encoder");
    let config = EncoderConfig {
        pooling: Pooling::Mean,
        normalize: true,
        passage_form: PassageForm::Joined,
        ..EncoderConfig::default()
    };
    Encoder::new(session, tokenizer, config).expect("an encoder")
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn a_question_is_closer_to_its_answer_than_to_another_passage() {
    for runtime in &runtimes() {
        let encoder = sentence_encoder(runtime);
        let inputs = [
            EncoderInput::text("How tall is the highest mountain of Africa?"),
            EncoderInput {
                title: Some("Kilimanjaro"),
                text: "Kilimanjaro rises 5,895 metres above the sea, more than any other peak on the continent.",
            },
            EncoderInput { title: Some("Piano"), text: "A piano sounds its strings with felt hammers." },
        ];
        let vectors = encoder.encode(&inputs, &EncodeOptions::default(), &Control::new()).expect("encodes");
        let rows: Vec<&[f32]> = vectors.chunks_exact(encoder.dim()).collect();
        assert_eq!((encoder.dim(), rows.len()), (384, 3));
        assert!(rows.iter().all(|row| (dot(row, row) - 1.0).abs() < 1e-5), "unit length");
        // Dot products of vectors of unit length are cosines.
        let (answer, other) = (dot(rows[0], rows[1]), dot(rows[0], rows[2]));
        assert!(answer > 0.4 && other < 0.2, "{runtime:?}: {answer} {other}");
    }
}

#[test]
fn token_types_of_zero_give_the_vectors_of_a_model_whose_token_types_are_always_zero() {
    let passage = [EncoderInput { title: Some("Suez Canal"), text: "It was opened in November 1869." }];
    let encode = |(session, tokenizer), token_types| {
        let config = EncoderConfig { token_types, ..EncoderConfig::default() };
        let encoder = Encoder::new(session, tokenizer, config).expect("an encoder");
        encoder.encode(&passage, &EncodeOptions::default(), &Control::new()).expect("encodes")
    };
    for runtime in &runtimes() {
        let without_types = || {
            open_rewritten_model(runtime, "minilm-encoder", |bytes: &[u8]| {
                onnx::with_zero_for(bytes, "token_type_ids")
            })
        };
        let zeros = encode(open_model(runtime, "minilm-encoder"), TokenTypes::Zeros);
        assert_eq!(zeros, encode(without_types(), TokenTypes::Zeros));
        assert_eq!(zeros, encode(without_types(), TokenTypes::Segments));
        assert_ne!(zeros, encode(open_model(runtime, "minilm-encoder"), TokenTypes::Segments));
    }
}

/// Returns the vectors of texts of different lengths, encoded together and alone.
fn together_and_alone(encoder: &Encoder) -> [Vec<f32>; 2] {
    let texts: Vec<String> = (1..20).map(|words| "the river bends north ".repeat(words)).collect();
    let inputs: Vec<EncoderInput<'_>> = texts.iter().map(|text| EncoderInput::text(text)).collect();
    let control = Control::new();
    let options = EncodeOptions { batch_tokens: 512, ..EncodeOptions::default() };
    let together = encoder.encode(&inputs, &options, &control).expect("encodes");
    assert_eq!(
        together,
        encoder.encode(&inputs, &options, &control).expect("encodes"),
        "the same list gives the same bytes"
    );
    let alone =
        inputs.iter().flat_map(|&input| encoder.encode(&[input], &options, &control).expect("encodes"));
    let alone: Vec<f32> = alone.collect();
    assert_eq!(control.done(), 57, "19 texts, three times");
    [together, alone]
}

#[test]
fn a_text_gets_the_same_vector_alone_and_in_a_batch_with_any_number_of_threads() {
    let [together, alone] = together_and_alone(&sentence_encoder(&RuntimeChoice::BuiltIn));
    assert_eq!(together, alone);
    let folder = root().join("models/minilm-encoder");
    let session = Session::open(&RuntimeChoice::BuiltIn, &folder.join("model.onnx"), 3).expect("a model");
    let tokenizer = tokenize::Tokenizer::open(&folder.join("tokenizer.json")).expect("a tokenizer");
    let config = sentence_encoder(&RuntimeChoice::BuiltIn).config().clone();
    let parallel = Encoder::new(session.into(), tokenizer.into(), config).expect("an encoder");
    assert_eq!(together_and_alone(&parallel), [together, alone]);
}

#[test]
fn with_onnx_runtime_a_text_gets_nearly_the_same_vector_alone_and_in_a_batch() {
    let Some(runtime) = onnx_runtime() else { return };
    let [together, alone] = together_and_alone(&sentence_encoder(&runtime));
    for (a, b) in together.chunks_exact(384).zip(alone.chunks_exact(384)) {
        // The int8 activations of a batch share one quantization scale, so the vectors are close but not equal.
        assert!(dot(a, b) > 0.99, "{}", dot(a, b));
    }
}

#[test]
fn both_runtimes_compute_nearly_the_same_vectors() {
    let Some(runtime) = onnx_runtime() else { return };
    let [_, own] = together_and_alone(&sentence_encoder(&RuntimeChoice::BuiltIn));
    let [_, onnx] = together_and_alone(&sentence_encoder(&runtime));
    for (a, b) in own.chunks_exact(384).zip(onnx.chunks_exact(384)) {
        assert!(dot(a, b) > 0.99, "{}", dot(a, b));
    }
}

#[test]
fn the_built_in_runtime_is_chosen_for_models_that_it_recognizes() {
    let missing = RuntimeChoice::Auto { library: Err("there is no library".to_owned()) };
    let model = |name: &str| root().join("models").join(name).join("model.onnx");
    let session = Session::open(&missing, &model("minilm-encoder"), 1).expect("a model");
    assert_eq!(session.runtime(), Runtime::BuiltIn);
    let error = Session::open(&missing, &model("tiny-encoder"), 1).expect_err("not recognized");
    assert!(matches!(&error, Error::NoLibrary { .. }), "{error}");
    assert!(error.to_string().ends_with("; there is no library"), "{error}");
    let error =
        Session::open(&RuntimeChoice::BuiltIn, &model("tiny-encoder"), 1).expect_err("not recognized");
    assert!(matches!(&error, Error::Model { .. }), "{error}");
    let Some(RuntimeChoice::OnnxRuntime { library }) = onnx_runtime() else { return };
    let auto = RuntimeChoice::Auto { library: Ok(library) };
    assert_eq!(
        Session::open(&auto, &model("tiny-encoder"), 1).expect("a model").runtime(),
        Runtime::OnnxRuntime
    );
    assert_eq!(
        Session::open(&auto, &model("minilm-encoder"), 1).expect("a model").runtime(),
        Runtime::BuiltIn
    );
}

#[test]
fn missing_and_invalid_model_files_are_refused() {
    for runtime in &runtimes() {
        let missing = Session::open(runtime, &root().join("models/none/model.onnx"), 1).expect_err("missing");
        assert!(matches!(missing, Error::Io { .. }), "{missing}");
        let not_a_model =
            Session::open(runtime, &root().join("models/README.md"), 1).expect_err("not a model");
        assert!(matches!(not_a_model, Error::Model { .. }), "{not_a_model}");
    }
}

#[test]
fn texts_with_more_tokens_than_positions_are_refused() {
    for runtime in &runtimes() {
        let (session, tokenizer) = open_model(runtime, "minilm-encoder");
        let config = EncoderConfig { max_tokens: 1_000, ..EncoderConfig::default() };
        let encoder = Encoder::new(session, tokenizer, config).expect("an encoder");
        let text = "river ".repeat(600);
        let error = encoder.encode(&[EncoderInput::text(&text)], &EncodeOptions::default(), &Control::new());
        assert!(matches!(error, Err(Error::Run { .. })), "{error:?}");
    }
}

#[test]
fn sessions_are_shared_by_file_runtime_and_number_of_threads_until_the_last_reference_is_dropped() {
    let path = root().join("models/minilm-encoder/model.onnx");
    let runtime = RuntimeChoice::BuiltIn;
    let first = Session::shared(&runtime, &path, 1).expect("a model");
    let again = Session::shared(&runtime, &root().join("models/../models/minilm-encoder/model.onnx"), 1)
        .expect("a model");
    assert!(Arc::ptr_eq(&first, &again), "two paths of the same file share a session");
    assert!(!Arc::ptr_eq(&first, &Session::shared(&runtime, &path, 2).expect("a model")));
    if let Some(onnx) = onnx_runtime() {
        assert!(!Arc::ptr_eq(&first, &Session::shared(&onnx, &path, 1).expect("a model")));
    }
    let weak = Arc::downgrade(&first);
    drop((first, again));
    assert!(weak.upgrade().is_none());
}

#[test]
fn encoding_fails_if_it_has_been_canceled() {
    let encoder = sentence_encoder(&RuntimeChoice::BuiltIn);
    let control = Control::new();
    control.cancel();
    let error = encoder.encode(&[EncoderInput::text("text")], &EncodeOptions::default(), &control);
    assert!(matches!(error, Err(Error::Canceled(_))));
}
