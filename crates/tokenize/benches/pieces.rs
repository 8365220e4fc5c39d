//! Times how long tokenizers of `models/` take to split a passage of about 150 words: into ids and offsets, as encoders
//! and readers need them, and into strings, as BM25 with the analyzer `wordpiece` needs them.
//!
//! Run `cargo bench -p tokenize --bench pieces`.

use std::path::Path;

use divan::Bencher;
use divan::counter::BytesCount;
use tokenize::Tokenizer;

const MODELS: [&str; 2] = ["tiny-encoder", "minilm-encoder"];

fn main() {
    divan::main();
}

#[divan::bench(args = MODELS)]
fn pieces(bencher: Bencher<'_, '_>, model: &str) {
    let (tokenizer, text) = (open(model), passage());
    bencher.counter(BytesCount::of_str(&text)).bench(|| tokenizer.pieces(&text).expect("a text").len());
}

#[divan::bench(args = MODELS)]
fn piece_texts(bencher: Bencher<'_, '_>, model: &str) {
    let (tokenizer, text) = (open(model), passage());
    bencher.counter(BytesCount::of_str(&text)).bench(|| tokenizer.piece_texts(&text).expect("a text").len());
}

/// Opens the tokenizer of a model in `models/`.
fn open(model: &str) -> Tokenizer {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    Tokenizer::open(&models.join(model).join("tokenizer.json")).expect("a tokenizer")
}

/// English text in ASCII, except for one apostrophe per sentence.
fn passage() -> String {
    "The Court will now hear argument in the case of the bridge’s builders, who were running late in 1932. "
        .repeat(8)
}
