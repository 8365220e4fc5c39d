//! The English analyzer gives the same tokens as Lucene 10.6's for five collections.

mod lucene;

use lucene::{COLLECTIONS, shared, tokens};
use sparse::Analyzer;

#[test]
fn documents_and_queries_have_lucenes_tokens() {
    let Some(shared) = shared() else { return };
    let (mut documents, mut identical) = (0, 0);
    for name in COLLECTIONS {
        let collection = lucene::Collection::read(&shared, name);
        let same = |texts: &[(String, String)], expected: &[(String, String)], what: &str| {
            assert_eq!(texts.len(), expected.len(), "{name}: {what}");
            let mut same = 0;
            for ((id, text), (expected_id, expected)) in texts.iter().zip(expected) {
                assert_eq!(id, expected_id);
                let got = Analyzer::ENGLISH.tokens(text).join(" ");
                if got == *expected {
                    same += 1;
                } else {
                    let first =
                        got.split(' ').zip(expected.split(' ')).find(|(got, expected)| got != expected);
                    eprintln!("{name}: {what} {id}: (ours, Lucene's) first differ in {first:?}");
                }
            }
            eprintln!("{name}: {same} of {} {what} texts", texts.len());
            same
        };
        let expected = tokens(&shared, &format!("{name}.tokens.tsv.gz"));
        identical += same(&collection.passages, &expected, "document");
        documents += expected.len();
        let expected = tokens(&shared, &format!("{name}.query-tokens.tsv.gz"));
        let queries = collection.queries_of(&expected);
        assert_eq!(same(&queries, &expected, "query"), expected.len());
    }
    assert_eq!(identical, documents);
}
