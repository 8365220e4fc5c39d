//! After any sequence of operations, a searcher has the passages, ords and state of the model.

use std::path::Path;

use control::Control;
use proptest::prelude::*;
use serde_json::json;
use sparse::{
    Analyzer, Bm25Index, Error, Filter, IndexWriter, PassageFields, Searcher, StoredPassage, WriterOptions,
};

use crate::model::Model;

const OPTIONS: WriterOptions = WriterOptions { overwrite: false, threads: 1, memory: 15_000_000 };

/// An operation of a writer. Ids are numbers below 20.
#[derive(Debug, Clone)]
enum Operation {
    /// Adds a passage with its title and text stored, and with the field `flag`.
    Put {
        id: u8,
        title: Option<String>,
        text: String,
        flag: bool,
    },
    /// Adds a passage without storing its title and text.
    AddWithoutText(u8),
    Delete(u8),
    /// Sets the state of the next commit: null for 0, otherwise an object with the number.
    State(u8),
    Commit,
    Rollback,
    Merge,
    /// Closes the writer and opens a new one.
    Reopen,
}

/// A random operation.
fn operation() -> impl Strategy<Value = Operation> {
    let put = (0..20u8, prop::option::of(".{0,8}"), ".{0,40}", any::<bool>());
    prop_oneof![
        16 => put.prop_map(|(id, title, text, flag)| Operation::Put { id, title, text, flag }),
        2 => (0..20u8).prop_map(Operation::AddWithoutText),
        6 => (0..20u8).prop_map(Operation::Delete),
        3 => any::<u8>().prop_map(Operation::State),
        8 => Just(Operation::Commit),
        2 => Just(Operation::Rollback),
        3 => Just(Operation::Merge),
        2 => Just(Operation::Reopen),
    ]
}

/// Returns the fields of a stored passage.
fn fields(flag: bool) -> PassageFields {
    PassageFields::from([("flag".to_owned(), flag.into())])
}

/// Checks that a searcher has what the model has.
fn check(searcher: &Searcher, model: &Model) {
    assert_eq!(searcher.state(), &model.state);
    assert_eq!(searcher.next_ord(), model.next_ord);
    let live = searcher.live_ords();
    assert_eq!(live.iter().collect::<Vec<_>>(), model.ords(|_| true));
    assert_eq!(live.words().len(), (model.next_ord as usize).div_ceil(64));
    let exists = Filter::Exists { field: "flag".to_owned() };
    let filtered = searcher.filtered(Some(&exists), &Control::new()).expect("a filter");
    let with_field = model.ords(|fields| fields.contains_key("flag"));
    assert_eq!(filtered.ords().iter().collect::<Vec<_>>(), with_field);
    assert_eq!(filtered.len(), with_field.len() as u64);
    if !with_field.is_empty() {
        let is_true = Filter::Equals { field: "flag".to_owned(), value: true.into() };
        // An index in which no passage has this field would refuse the filter.
        if let Ok(filtered) = searcher.filtered(Some(&is_true), &Control::new()) {
            let expected = model.ords(|passage_fields| *passage_fields == fields(true));
            assert_eq!(filtered.ords().iter().collect::<Vec<_>>(), expected);
        }
    }
    let unfiltered = searcher.filtered(None, &Control::new()).expect("no filter");
    assert_eq!(unfiltered.ords().words(), live.words());
    for ord in (0..model.next_ord + 2).filter(|&ord| !live.contains(ord)) {
        assert!(matches!(searcher.passage(ord), Err(Error::UnknownPassage { .. })));
    }
    let (stored, others): (Vec<_>, Vec<_>) = model.passages.iter().partition(|passage| passage.is_stored);
    for passage in others {
        assert!(matches!(searcher.passage(passage.ord), Err(Error::NotStored { .. })));
    }
    let descending: Vec<_> = stored.iter().rev().collect();
    let ords: Vec<u32> = descending.iter().map(|passage| passage.ord).collect();
    let expected: Vec<_> = descending.iter().map(|passage| passage.content.clone()).collect();
    assert_eq!(searcher.passages(&ords).expect("stored passages"), expected);
}

/// Performs an operation, changes the models as the operation must change the index, and compares the writer with them:
/// `model` is what the next commit must contain, and `committed` what the last one contains.
fn perform(
    writer: &mut IndexWriter,
    model: &mut Model,
    committed: &mut Model,
    operation: &Operation,
) -> Result<(), Error> {
    match operation {
        Operation::Put { id, title, text, flag } => {
            let (id, fields) = (format!("p{id}"), fields(*flag));
            let ord = writer.put_stored(&id, title.as_deref(), text, &fields);
            if model.has(&id) {
                assert!(matches!(ord, Err(Error::DuplicateId { .. })));
            } else {
                assert_eq!(ord?, model.next_ord);
                model.add(StoredPassage { id, title: title.clone(), text: text.clone(), fields }, true);
            }
        }
        Operation::AddWithoutText(id) => {
            let id = format!("p{id}");
            if !model.has(&id) {
                writer.add(&id, None, "words")?;
                let fields = PassageFields::new();
                model.add(StoredPassage { id, title: None, text: String::new(), fields }, false);
            }
        }
        Operation::Delete(id) => {
            let id = format!("p{id}");
            assert_eq!(writer.delete(&[&id])?, u64::from(model.has(&id)));
            model.delete(&id);
        }
        Operation::State(0) => {
            writer.set_state(json!(null));
            model.state = json!(null);
        }
        Operation::State(number) => {
            let state = json!({"number": number, "list": [0.1, null, "x"]});
            writer.set_state(state.clone());
            model.state = state;
        }
        Operation::Commit => {
            writer.commit()?;
            committed.clone_from(model);
        }
        Operation::Rollback => {
            writer.rollback()?;
            model.clone_from(committed);
        }
        Operation::Merge => writer.merge()?,
        Operation::Reopen => unreachable!("the caller reopens the writer"),
    }
    assert_eq!((writer.next_ord(), writer.state()), (model.next_ord, &model.state));
    check(&*writer.searcher()?, committed);
    Ok(())
}

/// Performs operations on a new index, and compares the index with the model after each operation.
fn check_sequence(operations: &[Operation], path: &Path) {
    let mut writer = IndexWriter::create(path, Analyzer::ENGLISH, OPTIONS).expect("an empty folder");
    let index = Bm25Index::open(path).expect("an empty index");
    let (mut model, mut committed) = (Model::default(), Model::default());
    // A searcher of an earlier commit, which must not change, and what it must contain.
    let mut earlier: Option<(std::sync::Arc<Searcher>, Model)> = None;
    for operation in operations {
        if matches!(operation, Operation::Reopen) {
            writer.close().expect("merges that end");
            writer = IndexWriter::open(path, OPTIONS).expect("an intact index");
            model.clone_from(&committed);
            assert_eq!((writer.next_ord(), writer.state()), (model.next_ord, &model.state));
        } else {
            perform(&mut writer, &mut model, &mut committed, operation)
                .unwrap_or_else(|error| panic!("after {operation:?}: {error}"));
        }
        if let Some((searcher, model)) = &earlier {
            check(searcher, model);
        }
        earlier.get_or_insert_with(|| (writer.searcher().expect("a commit"), committed.clone()));
        // From time to time, the searcher is dropped, so that the next round keeps one of a later commit.
        if model.next_ord % 3 == 0 {
            earlier = None;
        }
    }
    writer.commit().expect("a commit");
    writer.merge().expect("a merge");
    check(&writer.searcher().expect("a commit"), &model);
    index.reload().expect("an intact index");
    check(&index.searcher(), &model);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn after_any_sequence_of_operations_a_searcher_has_the_passages_ords_and_state_of_the_model(
        operations in prop::collection::vec(operation(), 1..40),
    ) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        check_sequence(&operations, folder.path());
    }
}
