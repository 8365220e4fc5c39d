//! Runs encoders with the models in this repository's folder `models/`. The ONNX Runtime library comes from the path in
//! the environment variable `ORT_DYLIB_PATH`, or else from the npm package `onnxruntime-node`. Without the library,
//! each test prints that it is skipped.

#[path = "support/onnx.rs"]
mod onnx;
mod support;

use std::sync::Arc;

use control::Control;
use inference::{
    EncodeOptions, Encoder, EncoderConfig, EncoderInput, Error, Library, PassageForm, Pooling, Session,
    TokenTypes,
};
use support::{library, open_model, open_rewritten_model, root};

/// Opens `models/minilm-encoder` as a sentence encoder: mean pooling, unit length, title and text joined.
fn sentence_encoder(library: &'static Library) -> Encoder {
    let (session, tokenizer) = open_model(library, "minilm-encoder");
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
    let Some(library) = library() else { return };
    let encoder = sentence_encoder(library);
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
    assert!(
        dot(rows[0], rows[1]) > 0.4 && dot(rows[0], rows[2]) < 0.2,
        "{} {}",
        dot(rows[0], rows[1]),
        dot(rows[0], rows[2])
    );
}

#[test]
fn token_types_of_zero_give_the_vectors_of_a_model_whose_token_types_are_always_zero() {
    let Some(library) = library() else { return };
    let passage = [EncoderInput { title: Some("Suez Canal"), text: "It was opened in November 1869." }];
    let encode = |(session, tokenizer), token_types| {
        let config = EncoderConfig { token_types, ..EncoderConfig::default() };
        let encoder = Encoder::new(session, tokenizer, config).expect("an encoder");
        encoder.encode(&passage, &EncodeOptions::default(), &Control::new()).expect("encodes")
    };
    let without_types = || {
        open_rewritten_model(library, "minilm-encoder", |bytes: &[u8]| {
            onnx::with_zero_for(bytes, "token_type_ids")
        })
    };
    let zeros = encode(open_model(library, "minilm-encoder"), TokenTypes::Zeros);
    assert_eq!(zeros, encode(without_types(), TokenTypes::Zeros));
    assert_eq!(zeros, encode(without_types(), TokenTypes::Segments));
    assert_ne!(zeros, encode(open_model(library, "minilm-encoder"), TokenTypes::Segments));
}

#[test]
fn a_text_gets_nearly_the_same_vector_alone_and_in_a_batch() {
    let Some(library) = library() else { return };
    let encoder = sentence_encoder(library);
    let texts: Vec<String> = (1..20).map(|words| "the river bends north ".repeat(words)).collect();
    let inputs: Vec<EncoderInput<'_>> = texts.iter().map(|text| EncoderInput::text(text)).collect();
    let control = Control::new();
    let together = encoder
        .encode(&inputs, &EncodeOptions { batch_tokens: 512, ..EncodeOptions::default() }, &control)
        .expect("encodes");
    let alone = encoder
        .encode(&inputs, &EncodeOptions { batch_tokens: 1, ..EncodeOptions::default() }, &control)
        .expect("encodes");
    let again = encoder
        .encode(&inputs, &EncodeOptions { batch_tokens: 1, ..EncodeOptions::default() }, &control)
        .expect("encodes");
    assert_eq!(alone, again, "the same list gives the same bytes");
    for (a, b) in together.chunks_exact(384).zip(alone.chunks_exact(384)) {
        // The int8 activations of a batch share one quantization scale, so the vectors are close but not equal.
        assert!(dot(a, b) > 0.99, "{}", dot(a, b));
    }
    assert_eq!(control.done(), 57, "19 texts in each of three calls");
}

#[test]
fn missing_and_invalid_model_files_are_refused() {
    let Some(library) = library() else { return };
    let missing = Session::open(library, &root().join("models/none/model.onnx"), 1).expect_err("missing");
    assert!(matches!(missing, Error::Io { .. }), "{missing}");
    let not_a_model = Session::open(library, &root().join("models/README.md"), 1).expect_err("not a model");
    assert!(matches!(not_a_model, Error::Model { .. }), "{not_a_model}");
}

#[test]
fn sessions_are_shared_by_file_and_number_of_threads_until_the_last_reference_is_dropped() {
    let Some(library) = library() else { return };
    let path = root().join("models/tiny-encoder/model.onnx");
    let first = Session::shared(library, &path, 1).expect("a model");
    let again = Session::shared(library, &root().join("models/../models/tiny-encoder/model.onnx"), 1)
        .expect("a model");
    assert!(Arc::ptr_eq(&first, &again), "two paths of the same file share a session");
    assert!(!Arc::ptr_eq(&first, &Session::shared(library, &path, 2).expect("a model")));
    let weak = Arc::downgrade(&first);
    drop((first, again));
    assert!(weak.upgrade().is_none());
}

#[test]
fn encoding_fails_if_it_has_been_canceled() {
    let Some(library) = library() else { return };
    let encoder = sentence_encoder(library);
    let control = Control::new();
    control.cancel();
    let error = encoder.encode(&[EncoderInput::text("text")], &EncodeOptions::default(), &control);
    assert!(matches!(error, Err(Error::Canceled(_))));
}
