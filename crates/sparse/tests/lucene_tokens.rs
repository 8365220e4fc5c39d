//! The English analyzer gives the same tokens as the `EnglishAnalyzer` of Lucene 10.6, for the encyclopedia in
//! `examples/` and, on machines that have them, for five other collections.

mod lucene;

use lucene::collections;
use sparse::Analyzer;

#[test]
fn the_tokens_of_passages_and_queries_equal_those_of_lucene() {
    for collection in collections() {
        let name = collection.name;
        assert_same_tokens(name, &collection.passages, &collection.passage_tokens());
        let expected = collection.query_tokens();
        let has_tokens = |id: &String| expected.iter().any(|(expected_id, _)| expected_id == id);
        let queries: Vec<_> = collection.queries.iter().filter(|(id, _)| has_tokens(id)).cloned().collect();
        assert_same_tokens(name, &queries, &expected);
    }
}

/// Checks that each text (with its id) has the expected tokens, which are separated by spaces.
fn assert_same_tokens(name: &str, texts: &[(String, String)], expected: &[(String, String)]) {
    assert!(!texts.is_empty(), "{name}");
    assert_eq!(texts.len(), expected.len(), "{name}");
    let mut differing = 0;
    for ((id, text), (expected_id, expected)) in texts.iter().zip(expected) {
        assert_eq!(id, expected_id, "{name}");
        let got = Analyzer::ENGLISH.tokens(text).join(" ");
        if got != *expected {
            let first = got.split(' ').zip(expected.split(' ')).find(|(got, expected)| got != expected);
            eprintln!("{name} {id}: first difference (ours, Lucene's): {first:?}");
            differing += 1;
        }
    }
    assert_eq!(differing, 0, "{name}: texts whose tokens differ from Lucene's");
}
