//! Examples of the errors of stored passages, of the state of a commit, and of an index of an earlier release.

use std::path::Path;

use serde_json::{Value, json};
use sparse::{Analyzer, Bm25Index, Error, IndexWriter, PassageFields, WriterOptions};

/// Creates an empty index.
fn create(path: &Path) -> IndexWriter {
    IndexWriter::create(path, Analyzer::SIMPLE, WriterOptions::default()).expect("an empty folder")
}

/// Returns the content of `meta.json`, tantivy's list of segments.
fn read_meta(path: &Path) -> Value {
    let text = std::fs::read_to_string(path.join("meta.json")).expect("a list of segments");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn errors_name_the_ord_and_say_what_is_missing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create(folder.path());
    writer.put_stored("a", Some("Title"), "text", &PassageFields::new()).expect("a new id");
    writer.add("b", Some("Title"), "text").expect("a new id");
    writer.commit().expect("a commit");
    let searcher = writer.searcher().expect("a commit");
    let refused = |ords: &[u32]| searcher.passages(ords).expect_err("a refusal").to_string();
    assert_eq!(refused(&[0, 1]), "passage: expected a passage whose text is stored, got ord 1 (id \"b\")");
    assert_eq!(refused(&[2]), "passage: expected a passage of the index, got ord 2");
    assert_eq!(searcher.passages(&[]).expect("no passages"), []);
    let again = writer.put_stored("a", None, "", &PassageFields::new()).expect_err("a duplicate");
    assert!(matches!(again, Error::DuplicateId { .. }));
    assert_eq!(writer.next_ord(), 2);
}

#[test]
fn a_stored_passage_has_the_same_score_as_one_that_is_not_stored() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create(folder.path());
    writer.put_stored("a", Some("Stone"), "bridge", &PassageFields::new()).expect("a new id");
    writer.add("b", Some("Stone"), "bridge").expect("a new id");
    writer.commit().expect("a commit");
    let searcher = writer.searcher().expect("a commit");
    let hits =
        searcher.search("stone bridge", 10, sparse::Bm25::default(), &control::Control::new()).expect("hits");
    assert_eq!(hits.len(), 2);
    assert_eq!(hits[0].score, hits[1].score);
}

#[test]
fn the_payload_of_a_commit_without_a_state_does_not_mention_a_state() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create(folder.path());
    writer.commit().expect("a commit");
    let payload = |path: &Path| read_meta(path)["payload"].as_str().expect("a payload").to_owned();
    assert!(!payload(folder.path()).contains("state"));
    writer.set_state(json!([1]));
    writer.commit().expect("a commit");
    assert!(payload(folder.path()).contains(r#""state":[1]"#));
}

#[test]
fn a_merge_keeps_the_states_of_the_last_and_the_next_commit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create(folder.path());
    for id in ["a", "b"] {
        writer.add(id, None, "text").expect("a new id");
        writer.set_state(json!(id));
        writer.commit().expect("a commit");
    }
    writer.set_state(json!("next"));
    writer.merge().expect("a merge");
    assert_eq!(writer.state(), &json!("next"));
    assert_eq!(Bm25Index::open(folder.path()).expect("an intact index").searcher().state(), &json!("b"));
}

#[test]
fn a_writer_that_overwrites_an_index_begins_without_a_state() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create(folder.path());
    writer.put_stored("a", None, "text", &PassageFields::new()).expect("a new id");
    writer.set_state(json!("old"));
    writer.commit().expect("a commit");
    drop(writer);
    let options = WriterOptions { overwrite: true, ..WriterOptions::default() };
    let mut writer =
        IndexWriter::create(folder.path(), Analyzer::SIMPLE, options).expect("an index to replace");
    assert_eq!((writer.state(), writer.next_ord()), (&Value::Null, 0));
    // Until the first commit, the last commit is that of the old index.
    assert_eq!(writer.searcher().expect("a commit").state(), &json!("old"));
    writer.commit().expect("a commit");
    let searcher = writer.searcher().expect("a commit");
    assert_eq!((searcher.state(), searcher.next_ord()), (&Value::Null, 0));
}
