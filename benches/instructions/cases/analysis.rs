//! Analyzes a passage of about 160 words into terms, and into word pieces.

use std::path::{Path, PathBuf};

use gungraun::{library_benchmark, library_benchmark_group};
use sparse::Analyzer;
use tokenize::{Pieces, Tokenizer};

use crate::data::kept;

const SENTENCE: &str =
    "The Court will now hear argument in the case of the bridge’s builders, who were running late in 1932. ";

/// An analyzer whose cache has all words of the text.
fn analyzer(analyzer: Analyzer) -> &'static (Analyzer, String) {
    let case = kept((analyzer, SENTENCE.repeat(8)));
    letters(case);
    case
}

/// An analyzer whose cache has no word of the text.
fn unmet() -> &'static (Analyzer, String) {
    let case = kept((Analyzer::ENGLISH, "parties".to_owned()));
    letters(case);
    let words = SENTENCE.split(' ').filter(|word| word.len() > 3);
    case.1 = (0..14)
        .flat_map(|at| words.clone().map(move |word| format!("{word}{} ", "abcdefghijklmn".split_at(at).0)))
        .collect();
    case
}

fn word_pieces() -> Analyzer {
    Analyzer::word_piece(&model()).expect("a tokenizer")
}

fn letters((analyzer, text): &(Analyzer, String)) -> usize {
    let mut letters = 0;
    analyzer.for_each_token(text, |token| letters += token.len());
    letters
}

#[library_benchmark]
#[bench::english(analyzer(Analyzer::ENGLISH))]
#[bench::english_unmet(unmet())]
#[bench::simple(analyzer(Analyzer::SIMPLE))]
#[bench::german(analyzer(Analyzer::snowball("german".parse().expect("a language"))))]
#[bench::wordpiece(analyzer(word_pieces()))]
fn analyse(case: &(Analyzer, String)) -> usize {
    letters(case)
}

fn tokenizer() -> &'static (Tokenizer, String) {
    let tokenizer = Tokenizer::open(&model().join("tokenizer.json")).expect("a tokenizer");
    tokenizer.pieces(SENTENCE).expect("a text");
    kept((tokenizer, SENTENCE.repeat(8)))
}

#[library_benchmark]
#[bench::tiny_encoder(tokenizer())]
fn pieces((tokenizer, text): &(Tokenizer, String)) -> Pieces {
    tokenizer.pieces(text).expect("a text")
}

fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny-encoder")
}

library_benchmark_group!(name = tokens, benchmarks = [analyse, pieces]);
