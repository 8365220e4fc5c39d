//! Tests of highlights: the words of a text that share a term with a query.

use std::path::Path;

use proptest::prelude::*;
use sparse::{Analyzer, IndexWriter, Language, WriterOptions};

/// Returns the highlighted parts of a text, after checking that they are in order and do not overlap.
fn highlighted<'a>(analyzer: Analyzer, query: &str, text: &'a str) -> Vec<&'a str> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let writer =
        IndexWriter::create(folder.path(), analyzer, WriterOptions::default()).expect("an empty folder");
    let ranges = writer.searcher().expect("an empty commit").highlights(query, text);
    let mut end = 0;
    for range in &ranges {
        assert!(end <= range.start && range.start < range.end, "{ranges:?}");
        end = range.end;
    }
    ranges.into_iter().map(|range| &text[range]).collect()
}

/// Returns the `wordpiece` analyzer of a model in the repository.
fn word_piece() -> Analyzer {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny-encoder");
    Analyzer::word_piece(&model).expect("a model in the repository")
}

#[test]
fn a_highlight_is_the_whole_word_as_it_is_written() {
    let english = |query, text| highlighted(Analyzer::ENGLISH, query, text);
    assert_eq!(
        english("bridges built", "The Bridge’s builders bridged it: BRIDGES, built-in."),
        ["Bridge’s", "bridged", "BRIDGES", "built"]
    );
    assert_eq!(english("the of", "The age of reason"), [""; 0], "stop words are not terms");
    assert_eq!(english("", "text"), [""; 0]);
    assert_eq!(english("text", ""), [""; 0]);
    assert_eq!(english("näve Ωmega 漢", "日本 ΩMEGA näves 漢字"), ["ΩMEGA", "näves", "漢"]);
    let german = Analyzer::snowball("german".parse().expect("a language"));
    assert_eq!(
        highlighted(german, "Häuser", "Das Haus, der Häuser und des HAUSES"),
        ["Haus", "Häuser", "HAUSES"]
    );
    assert_eq!(highlighted(Analyzer::SIMPLE, "don", "Don't, DON2 dons"), ["Don", "DON"]);
    assert_eq!(highlighted(Analyzer::WHITESPACE, "b, a", "a b b,\u{2003}b,c A"), ["a", "b,"]);
}

#[test]
fn stop_words_of_the_caller_are_not_highlighted() {
    let analyzer = Analyzer::ENGLISH.with_stop_words(["stone"]).expect("words");
    assert_eq!(
        highlighted(analyzer, "the stone bridge", "The stones, the stone bridge"),
        ["The", "the", "bridge"]
    );
}

#[test]
fn word_pieces_are_highlighted_as_parts_of_words() {
    let analyzer = word_piece();
    let pieces = analyzer.tokens("unbelievable");
    assert!(pieces.len() > 1, "{pieces:?}");
    assert_eq!(highlighted(analyzer, "unbelievable", "So UNBELIEVABLE!").concat(), "UNBELIEVABLE");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn exactly_the_words_with_a_term_of_the_query_are_highlighted(
        query in prop::collection::vec(0..WORDS.len(), 0..4),
        text in prop::collection::vec((0..WORDS.len(), 0..SEPARATORS.len()), 0..12),
        language in 0..Language::all().count(),
    ) {
        let language = Analyzer::snowball(Language::all().nth(language).expect("a language"));
        for analyzer in [Analyzer::ENGLISH, Analyzer::SIMPLE, language] {
            let query: Vec<&str> = query.iter().map(|&word| WORDS[word]).collect();
            let terms = analyzer.tokens(&query.join(" "));
            let whole: String = text.iter().map(|&(word, separator)| format!("{}{}", WORDS[word], SEPARATORS[separator])).collect();
            let words = text.iter().map(|&(word, _)| WORDS[word]);
            let expected: Vec<&str> = words.filter(|word| analyzer.tokens(word).iter().any(|term| terms.contains(term))).collect();
            prop_assert_eq!(highlighted(analyzer.clone(), &query.join(" "), &whole), expected);
        }
    }

    #[test]
    fn any_text_can_be_highlighted(query in ".{0,20}", text in ".{0,60}", mixed in "[aA sS'’.ßİ漢😀\u{301}\u{200d}]{0,30}") {
        for analyzer in [Analyzer::ENGLISH, Analyzer::SIMPLE, Analyzer::WHITESPACE, word_piece()] {
            for text in [&text, &mixed] {
                highlighted(analyzer.clone(), &query, text);
                // With the text itself as the query, every word that has a term is highlighted.
                let count = highlighted(analyzer.clone(), text, text).len();
                prop_assert!(count <= analyzer.tokens(text).len());
                prop_assert_eq!(count == 0, analyzer.tokens(text).is_empty());
            }
        }
    }
}

/// The words of random texts and queries.
const WORDS: [&str; 9] =
    ["Bridge", "bridges", "bridging", "stone", "STONES", "Häuser", "haus", "the", "wooden"];
/// The separators between the words of random texts.
const SEPARATORS: [&str; 4] = [" ", ", ", " — ", "\n(😀 "];
