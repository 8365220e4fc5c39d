//! One example for each documented rule of [`Filter`]: missing fields, types of values, and filters that are rejected.

use std::path::Path;

use control::Control;
use sparse::{
    Analyzer, Bm25, Bm25Index, Error, Filter, IndexWriter, PassageFields, Range, Searcher, WriterOptions,
};

/// Creates an index of passages with these ids and fields, and returns its writer.
fn create_index(path: &Path, passages: &[(&str, PassageFields)]) -> IndexWriter {
    let mut writer =
        IndexWriter::create(path, Analyzer::SIMPLE, WriterOptions::default()).expect("an empty folder");
    for (id, fields) in passages {
        writer.add_with_fields(id, None, "words", fields).expect("a new id");
    }
    writer.commit().expect("a commit");
    writer
}

/// Returns the ids of the passages that match a filter.
fn found(searcher: &Searcher, json: &str) -> Vec<String> {
    let filter = serde_json::from_str(json).expect("a filter");
    let control = Control::new();
    let filtered = searcher.filtered(Some(&filter), &control).expect("a filter");
    let hits = filtered.search("words", 10, Bm25::default(), &control).expect("hits");
    searcher.ids(&hits).expect("ids")
}

/// Parses fields from JSON.
fn fields(json: &str) -> PassageFields {
    serde_json::from_str(json).expect("fields")
}

#[test]
fn missing_fields_and_values_of_each_type_match_as_documented() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let passages = [
        ("number", fields(r#"{"x": 1}"#)),
        ("text", fields(r#"{"x": "1"}"#)),
        ("boolean", fields(r#"{"x": true}"#)),
        ("texts", fields(r#"{"x": ["0", "5"]}"#)),
        ("empty", fields(r#"{"x": []}"#)),
        ("absent", fields(r#"{"y": -0.0}"#)),
        ("none", PassageFields::new()),
    ];
    drop(create_index(folder.path(), &passages));
    let searcher = Bm25Index::open(folder.path()).expect("an intact index").searcher();
    let matching = |json: &str| found(&searcher, json).join(" ");
    assert_eq!(matching(r#"{"equals": {"field": "x", "value": 1}}"#), "number");
    assert_eq!(matching(r#"{"equals": {"field": "x", "value": "1"}}"#), "text");
    assert_eq!(matching(r#"{"equals": {"field": "x", "value": true}}"#), "boolean");
    assert_eq!(matching(r#"{"equals": {"field": "x", "value": "5"}}"#), "texts");
    assert_eq!(matching(r#"{"range": {"field": "x", "gte": 0}}"#), "number");
    // A passage with several strings matches only if one of them is within both bounds.
    assert_eq!(matching(r#"{"range": {"field": "x", "gt": "0", "lt": "5"}}"#), "text");
    assert_eq!(matching(r#"{"exists": {"field": "x"}}"#), "number text boolean texts");
    assert_eq!(matching(r#"{"prefix": {"field": "x", "value": "5"}}"#), "texts");
    assert_eq!(matching(r#"{"prefix": {"field": "x", "value": "1"}}"#), "text");
    assert_eq!(matching(r#"{"prefix": {"field": "x", "value": ""}}"#), "text texts");
    assert_eq!(matching(r#"{"not": {"prefix": {"field": "x", "value": "50"}}}"#).split(' ').count(), 7);
    assert_eq!(matching(r#"{"not": {"exists": {"field": "x"}}}"#), "empty absent none");
    assert_eq!(
        matching(r#"{"not": {"equals": {"field": "x", "value": 1}}}"#),
        "text boolean texts empty absent none"
    );
    assert_eq!(matching(r#"{"exists": {"field": "z"}}"#), "");
    assert_eq!(matching(r#"{"not": {"exists": {"field": "z"}}}"#).split(' ').count(), 7);
    // −0 equals 0.
    assert_eq!(matching(r#"{"range": {"field": "y", "gte": 0}}"#), "absent");
    assert_eq!(matching(r#"{"range": {"field": "y", "lt": 0}}"#), "");
    assert_eq!(matching(r#"{"range": {"field": "y", "gt": -0.0}}"#), "");
    assert_eq!(matching(r#"{"equals": {"field": "y", "value": -0.0}}"#), "absent");
    assert_eq!(matching(r#"{"in": {"field": "x", "values": []}}"#), "");
    assert_eq!(matching(r#"{"ids": ["none", "nobody", "text", "none"]}"#), "text none");
    assert_eq!(matching(r#"{"ids": []}"#), "");
    assert_eq!(matching(r#"{"and": []}"#).split(' ').count(), 7);
    assert_eq!(matching(r#"{"or": []}"#), "");
    assert_eq!(searcher.fields("texts").expect("fields"), passages[3].1);
    assert_eq!(searcher.fields("empty").expect("fields"), passages[4].1);
    assert_eq!(searcher.fields("none").expect("fields"), PassageFields::new());
    let error = searcher.fields("nobody").expect_err("an unknown id").to_string();
    assert_eq!(error, "fields: expected a passage of the index, got id \"nobody\"");
}

#[test]
fn a_condition_on_a_field_or_value_type_that_no_passage_has_is_rejected() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let passages = [
        ("a", fields(r#"{"year": 1999, "a.b": "x", "draft": true}"#)),
        ("b", fields(r#"{"year": 2001, "mixed": 1}"#)),
        ("c", fields(r#"{"mixed": "one", "none": []}"#)),
    ];
    let mut writer = create_index(folder.path(), &passages);
    let index = Bm25Index::open(folder.path()).expect("an intact index");
    let searcher = index.searcher();
    let refused = |json: &str| {
        let filter = serde_json::from_str(json).expect("a filter");
        let error = searcher.filtered(Some(&filter), &Control::new()).expect_err("a refusal");
        assert!(matches!(error, Error::Part { .. }), "{error:?}");
        error.to_string()
    };
    let known = "expected a field that passages of the index have (\"a.b\", \"draft\", \"mixed\", \"year\")";
    assert_eq!(
        refused(r#"{"equals": {"field": "Yeer", "value": 1999}}"#),
        format!("filter.equals.field: {known}, got \"Yeer\"; did you mean \"year\"?")
    );
    assert_eq!(
        refused(r#"{"and": [{"or": []}, {"not": {"in": {"field": "author", "values": []}}}]}"#),
        format!("filter.and[1].not.in.field: {known}, got \"author\"")
    );
    // A field with an empty list of strings counts as missing.
    assert_eq!(
        refused(r#"{"range": {"field": "none", "gt": "a"}}"#),
        format!("filter.range.field: {known}, got \"none\"")
    );
    assert_eq!(
        refused(r#"{"range": {"field": "year", "gte": "1990", "lt": "2000"}}"#),
        "filter.range.gte: expected a number like all values of \"year\", got the string \"1990\""
    );
    assert_eq!(
        refused(r#"{"prefix": {"field": "year", "value": "19"}}"#),
        "filter.prefix.value: expected a number like all values of \"year\", got the string \"19\""
    );
    assert_eq!(
        refused(r#"{"not": {"prefix": {"field": "author", "value": ""}}}"#),
        format!("filter.not.prefix.field: {known}, got \"author\"")
    );
    assert_eq!(
        refused(r#"{"or": [{"equals": {"field": "a.b", "value": 1.5}}]}"#),
        "filter.or[0].equals.value: expected a string like all values of \"a.b\", got the number 1.5"
    );
    assert_eq!(
        refused(r#"{"in": {"field": "mixed", "values": [1, "one", true]}}"#),
        "filter.in.values[2]: expected a number or a string like all values of \"mixed\", got the boolean true"
    );
    assert_eq!(found(&searcher, r#"{"equals": {"field": "mixed", "value": "one"}}"#), ["c"]);
    // An index without passages accepts any filter; an index of passages without fields does not.
    writer.delete(&["a", "b", "c"]).expect("a deletion");
    writer.commit().expect("a commit");
    index.reload().expect("an intact index");
    let year = r#"{"equals": {"field": "year", "value": 1999}}"#;
    let filter = serde_json::from_str(year).expect("a filter");
    assert_eq!(found(&index.searcher(), year), [""; 0]);
    writer.add("d", None, "words").expect("a new id");
    writer.commit().expect("a commit");
    writer.merge().expect("a merge");
    index.reload().expect("an intact index");
    let error = index.searcher().filtered(Some(&filter), &Control::new()).expect_err("a refusal").to_string();
    assert_eq!(
        error,
        "filter.equals.field: expected no condition on fields, because no passage of the index has fields, got \"year\""
    );
}

#[test]
fn an_update_replaces_fields_except_in_searchers_of_earlier_commits() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create_index(
        folder.path(),
        &[("a", fields(r#"{"year": 1999}"#)), ("b", fields(r#"{"year": 2001}"#))],
    );
    let index = Bm25Index::open(folder.path()).expect("an intact index");
    let before = index.searcher();
    let since_2000 = r#"{"range": {"field": "year", "gte": 2000}}"#;
    assert_eq!(found(&before, since_2000), ["b"]);
    writer.update_with_fields("a", None, "words", &fields(r#"{"year": 2024}"#)).expect("an update");
    writer.update("b", None, "words").expect("an update");
    writer.commit().expect("a commit");
    index.reload().expect("an intact index");
    assert_eq!(found(&index.searcher(), since_2000), ["a"]);
    assert_eq!(found(&before, since_2000), ["b"]);
    assert_eq!(index.searcher().fields("b").expect("fields"), PassageFields::new());
    assert_eq!(before.fields("b").expect("fields"), fields(r#"{"year": 2001}"#));
}

#[test]
fn invalid_fields_and_filters_are_rejected_and_change_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create_index(folder.path(), &[("a", fields(r#"{"year": 1999}"#))]);
    let bad = PassageFields::from([("year".to_owned(), f64::NAN.into())]);
    let error =
        writer.update_with_fields("a", None, "words", &bad).expect_err("an invalid field").to_string();
    assert_eq!(error, "passage \"a\": fields.year: expected a finite number, got NaN");
    assert!(matches!(writer.add_with_fields("b", None, "words", &bad), Err(Error::Part { .. })));
    writer.commit().expect("a commit");
    let searcher = Bm25Index::open(folder.path()).expect("an intact index").searcher();
    assert_eq!(searcher.len(), 1);
    assert_eq!(searcher.fields("a").expect("fields"), fields(r#"{"year": 1999}"#));
    let bad = Filter::Not(Box::new(Filter::Range(Range { field: "year".to_owned(), ..Range::default() })));
    let error = searcher.filtered(Some(&bad), &Control::new()).expect_err("an invalid filter").to_string();
    assert_eq!(error, "filter.not.range: expected at least one of gte, gt, lte and lt, got none");
    // The evaluation of a valid filter can be canceled.
    let control = Control::new();
    control.cancel();
    let everything = Filter::And(Vec::new());
    assert!(matches!(searcher.filtered(Some(&everything), &control), Err(Error::Canceled(_))));
}

#[test]
fn passages_without_fields_take_almost_no_space() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ids: Vec<String> = (0..5000).map(|at| at.to_string()).collect();
    let passages: Vec<_> = ids.iter().map(|id| (id.as_str(), PassageFields::new())).collect();
    drop(create_index(folder.path(), &passages));
    let size = |extension: &str| {
        let entries =
            std::fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry"));
        let files = entries.filter(|entry| entry.path().extension().is_some_and(|found| found == extension));
        files.map(|file| file.metadata().expect("a file").len()).sum::<u64>()
    };
    // The file of columns (`.fast`) has only a header and a checksum. In the document store (`.store`), tantivy writes
    // a few bytes for every document, even if it is empty.
    assert!(size("fast") < 300, "{} bytes of columns", size("fast"));
    assert!(size("store") < 7 * 5000, "{} bytes stored", size("store"));
}
