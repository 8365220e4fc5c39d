//! Analyzes a passage of about 150 words into terms, with several analyzers, and tokenizes it into word pieces.

use std::path::{Path, PathBuf};

use gungraun::{library_benchmark, library_benchmark_group};
use sparse::Analyzer;
use tokenize::{Pieces, Tokenizer};

use crate::data::never_dropped;

const SENTENCE: &str =
    "The Court will now hear argument in the case of the bridge’s builders, who were running late in 1932. ";

/// Returns an analyzer and a text. All words of the text are in the analyzer's cache.
fn cached(analyzer: Analyzer) -> &'static (Analyzer, String) {
    let case = never_dropped((analyzer, SENTENCE.repeat(8)));
    // Fills the cache.
    count_bytes(case);
    case
}

/// Returns an analyzer and a text of 154 words. None of these words is in the analyzer's cache.
fn uncached() -> &'static (Analyzer, String) {
    let case = never_dropped((Analyzer::ENGLISH, "parties".to_owned()));
    // Analyzes one other word, so that one-time initialization is not counted.
    count_bytes(case);
    // Eleven words, each with 14 different endings, so that almost no word occurs twice. Exceptions are `builders,` and
    // `1932.`, because their punctuation separates the endings from them.
    let words = SENTENCE.split(' ').filter(|word| word.len() > 3);
    case.1 = (0..14)
        .flat_map(|length| {
            words.clone().map(move |word| format!("{word}{} ", "abcdefghijklmn".split_at(length).0))
        })
        .collect();
    case
}

/// Returns an analyzer whose terms are the word pieces of a model.
fn word_pieces() -> Analyzer {
    Analyzer::word_piece(&model()).expect("a tokenizer")
}

/// Analyzes the text, and returns the number of bytes of all terms.
fn count_bytes((analyzer, text): &(Analyzer, String)) -> usize {
    let mut bytes = 0;
    analyzer.for_each_token(text, |token| bytes += token.len());
    bytes
}

#[library_benchmark]
#[bench::english(cached(Analyzer::ENGLISH))]
#[bench::english_uncached(uncached())]
#[bench::simple(cached(Analyzer::SIMPLE))]
#[bench::german(cached(Analyzer::snowball("german".parse().expect("a language"))))]
#[bench::wordpiece(cached(word_pieces()))]
fn analyze(case: &(Analyzer, String)) -> usize {
    count_bytes(case)
}

/// Returns a model's tokenizer and a text.
fn tokenizer() -> &'static (Tokenizer, String) {
    let tokenizer = Tokenizer::open(&model().join("tokenizer.json")).expect("a tokenizer");
    // A first call, so that one-time initialization is not counted.
    tokenizer.pieces(SENTENCE).expect("a text");
    never_dropped((tokenizer, SENTENCE.repeat(8)))
}

#[library_benchmark]
#[bench::tiny_encoder(tokenizer())]
fn pieces((tokenizer, text): &(Tokenizer, String)) -> Pieces {
    tokenizer.pieces(text).expect("a text")
}

fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny-encoder")
}

library_benchmark_group!(name = tokens, benchmarks = [analyze, pieces]);
