//! Filtered search against filtering what an unfiltered search found, by a reading of the filter from its definition.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use control::Control;
use proptest::prelude::*;
use sparse::{
    Analyzer, Bm25, Bm25Index, Error, FieldValue, Filter, IndexWriter, PassageFields, Range, Scalar,
    Searcher, WriterOptions,
};

const NAMES: [&str; 4] = ["year", "a.b", "back\\slash%", "größe"];

#[derive(Debug, Clone)]
enum Step {
    /// Of one of twelve ids: an addition, or an update if it is there.
    Put(u8, String, PassageFields),
    Delete(u8),
    Commit,
}

/// The kinds of values per field.
type Kinds = BTreeMap<String, BTreeSet<&'static str>>;

fn kind(value: &Scalar) -> &'static str {
    match value {
        Scalar::Text(_) => "text",
        Scalar::Number(_) => "number",
        Scalar::Boolean(_) => "boolean",
    }
}

fn kinds_of<'a>(passages: impl IntoIterator<Item = &'a PassageFields>) -> Kinds {
    let mut kinds = Kinds::new();
    for (name, value) in passages.into_iter().flatten() {
        let kind = match value {
            FieldValue::One(value) => kind(value),
            FieldValue::Many(texts) if texts.is_empty() => continue,
            FieldValue::Many(_) => "text",
        };
        kinds.entry(name.clone()).or_default().insert(kind);
    }
    kinds
}

/// Whether each condition of a filter is on an existing field, and with a kind of value that the field has.
fn has_meaning(filter: &Filter, kinds: &Kinds) -> bool {
    let known = |field: &str, values: &[&Scalar]| {
        kinds.get(field).is_some_and(|kinds| values.iter().all(|value| kinds.contains(kind(value))))
    };
    match filter {
        Filter::Ids(_) | Filter::Exists { .. } => true,
        Filter::Equals { field, value } => known(field, &[value]),
        Filter::In { field, values } => known(field, &values.iter().collect::<Vec<_>>()),
        Filter::Range(Range { field, gte, gt, lte, lt }) => {
            known(field, &[gte, gt, lte, lt].into_iter().flatten().collect::<Vec<_>>())
        }
        Filter::And(parts) | Filter::Or(parts) => parts.iter().all(|part| has_meaning(part, kinds)),
        Filter::Not(part) => has_meaning(part, kinds),
    }
}

/// Whether a passage meets a filter, by the definition.
fn meets(id: &str, fields: &PassageFields, filter: &Filter) -> bool {
    let any = |field: &str, holds: &dyn Fn(&Scalar) -> bool| match fields.get(field) {
        None => false,
        Some(FieldValue::One(value)) => holds(value),
        Some(FieldValue::Many(texts)) => texts.iter().any(|text| holds(&text.as_str().into())),
    };
    match filter {
        Filter::Ids(ids) => ids.iter().any(|other| other == id),
        Filter::Equals { field, value } => any(field, &|other| other == value),
        Filter::In { field, values } => any(field, &|other| values.contains(other)),
        Filter::Exists { field } => any(field, &|_| true),
        Filter::And(parts) => parts.iter().all(|part| meets(id, fields, part)),
        Filter::Or(parts) => parts.iter().any(|part| meets(id, fields, part)),
        Filter::Not(part) => !meets(id, fields, part),
        Filter::Range(Range { field, gte, gt, lte, lt }) => any(field, &|value| {
            let compared = |bound: &Scalar| match (value, bound) {
                (Scalar::Number(value), Scalar::Number(bound)) => value.partial_cmp(bound),
                (Scalar::Text(value), Scalar::Text(bound)) => Some(value.cmp(bound)),
                _ => None,
            };
            let holds = |bound: &Option<Scalar>, wanted: &dyn Fn(std::cmp::Ordering) -> bool| {
                bound.as_ref().is_none_or(|bound| compared(bound).is_some_and(wanted))
            };
            holds(gte, &|order| order.is_ge())
                && holds(gt, &|order| order.is_gt())
                && holds(lte, &|order| order.is_le())
                && holds(lt, &|order| order.is_lt())
        }),
    }
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "2", "Z", "a", "ab", "é", "\u{1F600}", "x y"]).prop_map(str::to_owned)
}

fn number() -> impl Strategy<Value = f64> {
    let exact = 9_007_199_254_740_992.0; // 2^53
    prop::sample::select(vec![
        -0.0,
        0.0,
        2.0,
        2.5,
        3.0,
        -7.0,
        exact,
        exact - 1.0,
        -exact,
        1e300,
        -1e300,
        5e-324,
        2e19,
    ])
}

fn scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        text().prop_map(Scalar::Text),
        number().prop_map(Scalar::Number),
        any::<bool>().prop_map(Scalar::Boolean)
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned)
}

fn passage_fields() -> impl Strategy<Value = PassageFields> {
    let value = prop_oneof![
        3 => scalar().prop_map(FieldValue::One),
        1 => prop::collection::vec(text(), 0..4).prop_map(FieldValue::Many),
    ];
    prop_oneof![1 => Just(BTreeMap::new()), 3 => prop::collection::btree_map(name(), value, 0..4)]
}

fn range() -> impl Strategy<Value = Range> {
    let bounds = prop_oneof![
        (number().prop_map(Scalar::Number), number().prop_map(Scalar::Number)),
        (text().prop_map(Scalar::Text), text().prop_map(Scalar::Text)),
    ];
    (name(), bounds, 0..3usize, 0..3usize).prop_map(|(field, (low, high), lower, upper)| {
        let (lower, upper) = if (lower, upper) == (0, 0) { (1, 0) } else { (lower, upper) };
        let pick = |bound: &Scalar, chosen: bool| chosen.then(|| bound.clone());
        Range {
            field,
            gte: pick(&low, lower == 1),
            gt: pick(&low, lower == 2),
            lte: pick(&high, upper == 1),
            lt: pick(&high, upper == 2),
        }
    })
}

fn filter() -> impl Strategy<Value = Filter> {
    let leaf = prop_oneof![
        prop::collection::vec(0u8..14, 0..6)
            .prop_map(|ids| Filter::Ids(ids.into_iter().map(|id| format!("p{id}")).collect())),
        (name(), scalar()).prop_map(|(field, value)| Filter::Equals { field, value }),
        (name(), prop::collection::vec(scalar(), 0..5))
            .prop_map(|(field, values)| Filter::In { field, values }),
        range().prop_map(Filter::Range),
        name().prop_map(|field| Filter::Exists { field }),
        Just(Filter::Exists { field: "nobody".to_owned() }),
    ];
    leaf.prop_recursive(3, 12, 3, |part| {
        prop_oneof![
            prop::collection::vec(part.clone(), 0..3).prop_map(Filter::And),
            prop::collection::vec(part.clone(), 0..3).prop_map(Filter::Or),
            part.prop_map(|part| Filter::Not(Box::new(part))),
        ]
    })
}

fn words() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d"]), 0..6)
        .prop_map(|words| words.join(" "))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0u8..12, words(), passage_fields()).prop_map(|(id, text, fields)| Step::Put(id, text, fields)),
        2 => (0u8..12).prop_map(Step::Delete),
        1 => Just(Step::Commit),
    ]
}

/// `ever` holds the kinds of all fields that passages have had so far: those of deleted passages may or may not count.
fn check(
    searcher: &Searcher,
    passages: &HashMap<String, PassageFields>,
    ever: &Kinds,
    filters: &[Filter],
    k: usize,
) -> Result<(), TestCaseError> {
    let (control, parameters) = (Control::new(), Bm25::default());
    for (id, fields) in passages {
        prop_assert_eq!(&searcher.fields(id).expect("fields"), fields);
    }
    let queries = ["a", "b c c", "a b c d"];
    let live = kinds_of(passages.values());
    // The second time around from the cache.
    for filter in filters.iter().chain(filters) {
        prop_assert!(filter.check().is_ok());
        let filtered = match searcher.filtered(Some(filter), &control) {
            Ok(filtered) => {
                prop_assert!(passages.is_empty() || has_meaning(filter, ever), "{filter:?} was not refused");
                filtered
            }
            Err(Error::Part { .. }) => {
                let refused = !passages.is_empty() && !has_meaning(filter, &live);
                prop_assert!(refused, "{filter:?} was refused");
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let wanted = passages.iter().filter(|(id, fields)| meets(id, fields, filter)).count();
        prop_assert_eq!((filtered.len(), filtered.is_empty()), (wanted as u64, wanted == 0));
        let threads = if k == 1 { 2 } else { 1 };
        let many = filtered.search_many(&queries, k, parameters, threads, &control).expect("hits");
        for (query, together) in queries.iter().zip(many) {
            let mut expected = searcher.search(query, usize::MAX, parameters, &control).expect("hits");
            let ids = searcher.ids(&expected).expect("ids");
            let mut ids = ids.iter();
            expected.retain(|_| ids.next().is_some_and(|id| meets(id, &passages[id], filter)));
            expected.truncate(k);
            prop_assert_eq!(&filtered.search(query, k, parameters, &control).expect("hits"), &expected);
            prop_assert_eq!(&together, &expected);
            let terms: Vec<_> = query.split(' ').map(|term| (term.to_owned(), 1.0)).collect();
            let by_terms = filtered.search_terms(&terms, k, parameters, &control).expect("hits");
            prop_assert_eq!(&by_terms, &expected);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn a_filtered_search_is_a_search_of_which_the_rest_was_left_out(
        steps in prop::collection::vec(step(), 1..50),
        filters in prop::collection::vec(filter(), 1..12),
        k in 0usize..8,
    ) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = IndexWriter::create(folder.path(), Analyzer::WHITESPACE, WriterOptions::default()).expect("an empty folder");
        let (mut passages, mut commits, mut ever) = (HashMap::new(), 0, Kinds::new());
        let open = || Bm25Index::open(folder.path()).expect("a sound index").searcher();
        for step in steps {
            match step {
                Step::Put(id, text, fields) => {
                    let id = format!("p{id}");
                    for (name, kinds) in kinds_of([&fields]) {
                        ever.entry(name).or_default().extend(kinds);
                    }
                    let there = passages.insert(id.clone(), fields.clone()).is_some();
                    if there {
                        prop_assert!(writer.update_with_fields(&id, None, &text, &fields).expect("an update"));
                    } else {
                        writer.add_with_fields(&id, None, &text, &fields).expect("a new id");
                    }
                }
                Step::Delete(id) => {
                    let id = format!("p{id}");
                    let there = passages.remove(&id).is_some();
                    prop_assert_eq!(writer.delete(&[&id]).expect("a deletion"), u64::from(there));
                }
                Step::Commit if commits < 6 => {
                    commits += 1;
                    writer.commit().expect("a commit");
                    check(&open(), &passages, &ever, &filters, k)?;
                }
                Step::Commit => {}
            }
        }
        writer.commit().expect("a commit");
        check(&open(), &passages, &ever, &filters, k)?;
        writer.merge().expect("a merge");
        prop_assert!(open().segments() <= 1);
        // After the merge, no deleted passages are left.
        check(&open(), &passages, &kinds_of(passages.values()), &filters, k)?;
    }
}

fn indexed(path: &Path, passages: &[(&str, PassageFields)]) -> IndexWriter {
    let mut writer =
        IndexWriter::create(path, Analyzer::SIMPLE, WriterOptions::default()).expect("an empty folder");
    for (id, fields) in passages {
        writer.add_with_fields(id, None, "words", fields).expect("a new id");
    }
    writer.commit().expect("a commit");
    writer
}

fn found(searcher: &Searcher, json: &str) -> Vec<String> {
    let filter = serde_json::from_str(json).expect("a filter");
    let control = Control::new();
    let filtered = searcher.filtered(Some(&filter), &control).expect("a filter");
    let hits = filtered.search("words", 10, Bm25::default(), &control).expect("hits");
    searcher.ids(&hits).expect("ids")
}

fn fields(json: &str) -> PassageFields {
    serde_json::from_str(json).expect("fields")
}

#[test]
fn absent_fields_and_fields_of_several_kinds_are_what_the_documentation_says() {
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
    drop(indexed(folder.path(), &passages));
    let searcher = Bm25Index::open(folder.path()).expect("a sound index").searcher();
    let found = |json: &str| found(&searcher, json).join(" ");
    assert_eq!(found(r#"{"equals": {"field": "x", "value": 1}}"#), "number");
    assert_eq!(found(r#"{"equals": {"field": "x", "value": "1"}}"#), "text");
    assert_eq!(found(r#"{"equals": {"field": "x", "value": true}}"#), "boolean");
    assert_eq!(found(r#"{"equals": {"field": "x", "value": "5"}}"#), "texts");
    assert_eq!(found(r#"{"range": {"field": "x", "gte": 0}}"#), "number");
    // One and the same text is in both bounds, or it is not.
    assert_eq!(found(r#"{"range": {"field": "x", "gt": "0", "lt": "5"}}"#), "text");
    assert_eq!(found(r#"{"exists": {"field": "x"}}"#), "number text boolean texts");
    assert_eq!(found(r#"{"not": {"exists": {"field": "x"}}}"#), "empty absent none");
    assert_eq!(
        found(r#"{"not": {"equals": {"field": "x", "value": 1}}}"#),
        "text boolean texts empty absent none"
    );
    assert_eq!(found(r#"{"exists": {"field": "z"}}"#), "");
    assert_eq!(found(r#"{"not": {"exists": {"field": "z"}}}"#).split(' ').count(), 7);
    // −0 is 0.
    assert_eq!(found(r#"{"range": {"field": "y", "gte": 0}}"#), "absent");
    assert_eq!(found(r#"{"range": {"field": "y", "lt": 0}}"#), "");
    assert_eq!(found(r#"{"range": {"field": "y", "gt": -0.0}}"#), "");
    assert_eq!(found(r#"{"equals": {"field": "y", "value": -0.0}}"#), "absent");
    assert_eq!(found(r#"{"in": {"field": "x", "values": []}}"#), "");
    assert_eq!(found(r#"{"ids": ["none", "nobody", "text", "none"]}"#), "text none");
    assert_eq!(found(r#"{"ids": []}"#), "");
    assert_eq!(found(r#"{"and": []}"#).split(' ').count(), 7);
    assert_eq!(found(r#"{"or": []}"#), "");
    assert_eq!(searcher.fields("texts").expect("fields"), passages[3].1);
    assert_eq!(searcher.fields("empty").expect("fields"), passages[4].1);
    assert_eq!(searcher.fields("none").expect("fields"), PassageFields::new());
    let error = searcher.fields("nobody").expect_err("an unknown id").to_string();
    assert_eq!(error, "fields: expected a passage of the index, got id \"nobody\"");
}

#[test]
fn a_condition_on_a_field_or_kind_of_value_that_no_passage_has_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let passages = [
        ("a", fields(r#"{"year": 1999, "a.b": "x", "draft": true}"#)),
        ("b", fields(r#"{"year": 2001, "mixed": 1}"#)),
        ("c", fields(r#"{"mixed": "one", "none": []}"#)),
    ];
    let mut writer = indexed(folder.path(), &passages);
    let index = Bm25Index::open(folder.path()).expect("a sound index");
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
    // A field with an empty list of texts counts as missing.
    assert_eq!(
        refused(r#"{"range": {"field": "none", "gt": "a"}}"#),
        format!("filter.range.field: {known}, got \"none\"")
    );
    assert_eq!(
        refused(r#"{"range": {"field": "year", "gte": "1990", "lt": "2000"}}"#),
        "filter.range.gte: expected a number, as every value of \"year\" is, got the text \"1990\""
    );
    assert_eq!(
        refused(r#"{"or": [{"equals": {"field": "a.b", "value": 1.5}}]}"#),
        "filter.or[0].equals.value: expected a text, as every value of \"a.b\" is, got the number 1.5"
    );
    assert_eq!(
        refused(r#"{"in": {"field": "mixed", "values": [1, "one", true]}}"#),
        "filter.in.values[2]: expected a number or a text, as every value of \"mixed\" is, got the boolean true"
    );
    assert_eq!(found(&searcher, r#"{"equals": {"field": "mixed", "value": "one"}}"#), ["c"]);
    // An index without passages accepts any filter; one whose passages have no fields does not.
    writer.delete(&["a", "b", "c"]).expect("a deletion");
    writer.commit().expect("a commit");
    index.reload().expect("a sound index");
    let year = r#"{"equals": {"field": "year", "value": 1999}}"#;
    let filter = serde_json::from_str(year).expect("a filter");
    assert_eq!(found(&index.searcher(), year), [""; 0]);
    writer.add("d", None, "words").expect("a new id");
    writer.commit().expect("a commit");
    writer.merge().expect("a merge");
    index.reload().expect("a sound index");
    let error = index.searcher().filtered(Some(&filter), &Control::new()).expect_err("a refusal").to_string();
    assert_eq!(
        error,
        "filter.equals.field: expected no condition on fields, since no passage of the index has any, got \"year\""
    );
}

#[test]
fn an_update_replaces_fields_and_a_searcher_keeps_those_of_its_commit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer =
        indexed(folder.path(), &[("a", fields(r#"{"year": 1999}"#)), ("b", fields(r#"{"year": 2001}"#))]);
    let index = Bm25Index::open(folder.path()).expect("a sound index");
    let before = index.searcher();
    let since_2000 = r#"{"range": {"field": "year", "gte": 2000}}"#;
    assert_eq!(found(&before, since_2000), ["b"]);
    writer.update_with_fields("a", None, "words", &fields(r#"{"year": 2024}"#)).expect("an update");
    writer.update("b", None, "words").expect("an update");
    writer.commit().expect("a commit");
    index.reload().expect("a sound index");
    assert_eq!(found(&index.searcher(), since_2000), ["a"]);
    assert_eq!(found(&before, since_2000), ["b"]);
    assert_eq!(index.searcher().fields("b").expect("fields"), PassageFields::new());
    assert_eq!(before.fields("b").expect("fields"), fields(r#"{"year": 2001}"#));
}

#[test]
fn bad_fields_and_bad_filters_are_refused_and_lose_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = indexed(folder.path(), &[("a", fields(r#"{"year": 1999}"#))]);
    let bad = PassageFields::from([("year".to_owned(), f64::NAN.into())]);
    let error = writer.update_with_fields("a", None, "words", &bad).expect_err("a bad field").to_string();
    assert_eq!(error, "passage \"a\": fields.year: expected a finite number, got NaN");
    assert!(matches!(writer.add_with_fields("b", None, "words", &bad), Err(Error::Part { .. })));
    writer.commit().expect("a commit");
    let searcher = Bm25Index::open(folder.path()).expect("a sound index").searcher();
    assert_eq!(searcher.len(), 1);
    assert_eq!(searcher.fields("a").expect("fields"), fields(r#"{"year": 1999}"#));
    let bad = Filter::Not(Box::new(Filter::Range(Range { field: "year".to_owned(), ..Range::default() })));
    let error = searcher.filtered(Some(&bad), &Control::new()).expect_err("a bad filter").to_string();
    assert_eq!(error, "filter.not.range: expected at least one of gte, gt, lte and lt, got none");
    let control = Control::new();
    control.cancel();
    let everything = Filter::And(Vec::new());
    assert!(matches!(searcher.filtered(Some(&everything), &control), Err(Error::Cancelled(_))));
}

#[test]
fn passages_without_fields_cost_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ids: Vec<String> = (0..5000).map(|at| at.to_string()).collect();
    let passages: Vec<_> = ids.iter().map(|id| (id.as_str(), PassageFields::new())).collect();
    drop(indexed(folder.path(), &passages));
    let size = |extension: &str| {
        let entries =
            std::fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry"));
        let files = entries.filter(|entry| entry.path().extension().is_some_and(|found| found == extension));
        files.map(|file| file.metadata().expect("a file").len()).sum::<u64>()
    };
    // A header and a checksum; the engine stores a few bytes of every document, however little it has.
    assert!(size("fast") < 300, "{} bytes of columns", size("fast"));
    assert!(size("store") < 7 * 5000, "{} bytes stored", size("store"));
}
