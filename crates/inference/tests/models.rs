//! The project's own models, through the runtime library that npm's `onnxruntime-node` carries. Without it, and
//! without `ORT_DYLIB_PATH`, these tests say that they were skipped.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use control::Control;
use inference::{
    EncodeOptions, Encoder, EncoderConfig, EncoderInput, Error, Library, PassageForm, Pooling, ReaderConfig,
    ReaderModel, ReaderPassage, Session,
};
use tokenize::Tokenizer;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn library() -> Option<&'static Library> {
    let (os, file) = match std::env::consts::OS {
        "macos" => ("darwin", "libonnxruntime.1.dylib"),
        "windows" => ("win32", "onnxruntime.dll"),
        _ => ("linux", "libonnxruntime.so.1"),
    };
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let path = std::env::var_os("ORT_DYLIB_PATH").map_or_else(
        || root().join("node_modules/onnxruntime-node/bin/napi-v6").join(os).join(arch).join(file),
        PathBuf::from,
    );
    if path.exists() {
        return Some(Library::open(&path).expect("a library that loads"));
    }
    eprintln!("skipped: onnxruntime-node is not installed");
    None
}

fn parts(library: &'static Library, model: &str) -> (Arc<Session>, Arc<Tokenizer>) {
    let folder = root().join("models").join(model);
    let session = Session::open(library, &folder.join("model.onnx"), 1).expect("a model");
    (session.into(), Tokenizer::open(&folder.join("tokenizer.json")).expect("a tokenizer").into())
}

fn sentence_encoder(library: &'static Library) -> Encoder {
    let (session, tokenizer) = parts(library, "minilm-encoder");
    let config = EncoderConfig {
        pooling: Pooling::Mean,
        normalise: true,
        passage_form: PassageForm::Joined,
        ..EncoderConfig::default()
    };
    Encoder::new(session, tokenizer, config).expect("an encoder")
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn a_question_is_nearer_to_its_answer_than_to_another_passage() {
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
    assert!(
        dot(rows[0], rows[1]) > 0.4 && dot(rows[0], rows[2]) < 0.2,
        "{} {}",
        dot(rows[0], rows[1]),
        dot(rows[0], rows[2])
    );
}

#[test]
fn alone_or_among_others_a_text_gets_nearly_the_same_vector() {
    let Some(library) = library() else { return };
    let encoder = sentence_encoder(library);
    let texts: Vec<String> = (1..20).map(|words| "the river bends north ".repeat(words)).collect();
    let inputs: Vec<EncoderInput<'_>> = texts.iter().map(|text| EncoderInput::text(text)).collect();
    let control = Control::new();
    let together = encoder.encode(&inputs, &EncodeOptions { batch_tokens: 512 }, &control).expect("encodes");
    let alone = encoder.encode(&inputs, &EncodeOptions { batch_tokens: 1 }, &control).expect("encodes");
    let again = encoder.encode(&inputs, &EncodeOptions { batch_tokens: 1 }, &control).expect("encodes");
    assert_eq!(alone, again, "the same list gives the same bytes");
    for (a, b) in together.chunks_exact(384).zip(alone.chunks_exact(384)) {
        // int8 activations share a scale in a batch: near, not equal.
        assert!(dot(a, b) > 0.99, "{}", dot(a, b));
    }
    assert_eq!(control.done(), 57);
}

#[test]
fn the_reader_finds_the_year() {
    let Some(library) = library() else { return };
    let (session, tokenizer) = parts(library, "minilm-reader");
    let config = ReaderConfig { max_tokens: 224, ..ReaderConfig::default() };
    let reader = ReaderModel::new(session, tokenizer, config).expect("a reader");
    let text = "The Suez Canal was opened to shipping in November 1869 after ten years of digging.";
    let passages = [
        ReaderPassage {
            title: Some("Piano"),
            text: "Bartolomeo Cristofori built the first pianos in Florence.",
        },
        ReaderPassage { title: Some("Suez Canal"), text },
    ];
    let read =
        reader.read("In which year was the Suez Canal opened?", &passages, &Control::new()).expect("reads");
    assert!(read[1].relevance > read[0].relevance, "{} {}", read[1].relevance, read[0].relevance);
    let logits = &read[1];
    let best =
        |values: &[f32]| (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])).expect("tokens");
    let bytes =
        logits.offsets[best(&logits.start)].start as usize..logits.offsets[best(&logits.end)].end as usize;
    assert!(text[bytes.clone()].contains("1869"), "{}", &text[bytes]);
}

#[test]
fn what_cannot_serve_is_refused_with_what_was_expected() {
    let Some(library) = library() else { return };
    let missing = Session::open(library, &root().join("models/none/model.onnx"), 1).expect_err("missing");
    assert!(matches!(missing, Error::Io { .. }), "{missing}");
    let foreign = Session::open(library, &root().join("models/README.md"), 1).expect_err("not a model");
    assert!(matches!(foreign, Error::Model { .. }), "{foreign}");
    let (session, tokenizer) = parts(library, "minilm-encoder");
    let reader =
        ReaderModel::new(session, tokenizer, ReaderConfig::default()).expect_err("an encoder is no reader");
    assert!(reader.to_string().contains("start_logits"), "{reader}");
}

#[test]
fn one_session_per_file_and_threads_is_shared_until_its_last_holder_is_gone() {
    let Some(library) = library() else { return };
    let path = root().join("models/tiny-encoder/model.onnx");
    let first = Session::shared(library, &path, 1).expect("a model");
    let again = Session::shared(library, &root().join("models/../models/tiny-encoder/model.onnx"), 1)
        .expect("a model");
    assert!(Arc::ptr_eq(&first, &again), "by the file, not by how its path is spelt");
    assert!(!Arc::ptr_eq(&first, &Session::shared(library, &path, 2).expect("a model")));
    let weak = Arc::downgrade(&first);
    drop((first, again));
    assert!(weak.upgrade().is_none());
}

#[test]
fn cancelled_work_stops_before_the_next_batch() {
    let Some(library) = library() else { return };
    let encoder = sentence_encoder(library);
    let control = Control::new();
    control.cancel();
    let error = encoder.encode(&[EncoderInput::text("text")], &EncodeOptions::default(), &control);
    assert!(matches!(error, Err(Error::Cancelled(_))));
}
