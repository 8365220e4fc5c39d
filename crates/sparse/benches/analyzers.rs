//! Benchmarks of the throughput of each analyzer. The text repeats one sentence, so `english`, which caches the terms
//! of words, finds nearly all terms in its cache.
//!
//! Run `cargo bench -p sparse --bench analyzers`.

use std::path::Path;

use divan::Bencher;
use divan::counter::BytesCount;
use sparse::Analyzer;

const ANALYZERS: [&str; 6] = ["english", "simple", "whitespace", "german", "russian", "wordpiece"];

fn main() {
    divan::main();
}

/// Analyzes a text with the analyzer of this name.
#[divan::bench(args = ANALYZERS)]
fn analyze(bencher: Bencher<'_, '_>, name: &str) {
    let (analyzer, text) = (analyzer_named(name), text(name));
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut bytes = 0;
        analyzer.for_each_token(&text, |token| bytes += token.len());
        bytes
    });
}

/// Returns the analyzer for one of [`ANALYZERS`]: names other than the first three and `wordpiece` are languages.
fn analyzer_named(name: &str) -> Analyzer {
    match name {
        "english" => Analyzer::ENGLISH,
        "simple" => Analyzer::SIMPLE,
        "whitespace" => Analyzer::WHITESPACE,
        "wordpiece" => {
            let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
            Analyzer::word_piece(&models.join("minilm-encoder")).expect("a tokenizer")
        }
        language => Analyzer::snowball(language.parse().expect("a language")),
    }
}

/// Returns a text in the language of an analyzer.
fn text(analyzer: &str) -> String {
    let sentence = match analyzer {
        "german" => {
            "Das Gericht hört nun die Parteien im Streit um die Häuser der Städte, die zu spät kamen. "
        }
        "russian" => {
            "Суд заслушает стороны по делу о строителях моста, которые опоздали на заседание в среду. "
        }
        _ => "The Court will now hear argument in the case of the bridge’s builders, who were running late. ",
    };
    sentence.repeat(20)
}
