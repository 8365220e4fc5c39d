//! Random sequences of writer operations, compared with a model: a list of passages.
//!
//! After every operation a reader must show exactly the passages of the last commit, whatever is pending or being
//! merged, and even if the writer was killed. Sequences depend on no clock or other randomness, so proptest can shrink
//! failures.
//!
//! It runs 2,000 sequences, and 60 in which writers are killed; 25 times as many with `PASSAGEKIT_LONG=1`.
#![cfg(unix)]

mod model;
mod operation;
mod perform;

use std::path::Path;

use proptest::prelude::*;
use sparse::{Analyzer, Bm25Index, IndexWriter};

use model::Model;
use operation::{Operation, operation};
use perform::{OPTIONS, check_reader, exact_statistics, found, make, make_in_child, reopened};

fn cases(usual: u32) -> ProptestConfig {
    let long = std::env::var_os("PASSAGEKIT_LONG").is_some();
    ProptestConfig {
        cases: if long { 25 * usual } else { usual },
        max_shrink_iters: 2_000,
        ..ProptestConfig::default()
    }
}

/// A temporary folder in memory if possible, because it is faster and these tests do not depend on durability.
fn temporary_folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }
        .expect("a temporary folder")
}

fn check_sequence(operations: &[Operation]) {
    let folder = temporary_folder();
    let path = folder.path().join("index");
    let mut model = Model::default();
    let mut writer = IndexWriter::create(&path, Analyzer::WHITESPACE, OPTIONS).expect("a new index");
    // A first commit with a passage. A folder without a commit is not an index yet; a killed `create` may leave one
    // behind.
    writer = make(writer, &path, &mut model, &Operation::Add(0));
    writer = make(writer, &path, &mut model, &Operation::Commit);
    let index = Bm25Index::open(&path).expect("an intact index");
    let mut parts: Vec<&[Operation]> = operations.split(|operation| *operation == Operation::Kill).collect();
    let last = parts.pop().expect("at least one part");
    for part in parts {
        drop(writer);
        make_in_child(&path, &mut model, part);
        Bm25Index::open(&path).expect("an intact index after a kill").verify().expect("intact files");
        index.reload().expect("an intact index after a kill");
        check_reader(&index, &model);
        writer = reopened(&path);
    }
    for operation in last {
        writer = make(writer, &path, &mut model, operation);
        assert_eq!(writer.len(), model.pending.len() as u64, "after {operation:?}");
        index.reload().unwrap_or_else(|error| panic!("after {operation:?}: {error}"));
        check_reader(&index, &model);
    }
    writer.commit().expect("a commit");
    model.apply(&Operation::Commit);
    writer.merge().expect("a merge");
    writer.close().expect("merges that end");
    index.reload().expect("an intact index");
    index.verify().expect("intact files");
    check_reader(&index, &model);
    assert_eq!(index.searcher().statistics(), exact_statistics(&model));
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn any_sequence_of_operations_leaves_what_a_list_would_hold(
        operations in prop::collection::vec(operation(), 1..16),
    ) {
        check_sequence(&operations);
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn writers_that_are_killed_between_operations_leave_their_last_commits(
        operations in prop::collection::vec(prop_oneof![8 => operation(), 1 => Just(Operation::Kill)], 8..30),
    ) {
        check_sequence(&operations);
    }
}

#[test]
fn a_deletion_or_an_update_that_a_writer_begins_with_is_not_merged_before_it_is_committed() {
    for first in [Operation::Delete(0), Operation::Update(0)] {
        let operations = [Operation::Commits(2), Operation::Close, first.clone(), Operation::Merge];
        check_sequence(&operations);
        let operations =
            [Operation::Commits(2), Operation::Delete(1), Operation::Rollback, first, Operation::Merge];
        check_sequence(&operations);
    }
}

#[test]
fn a_merge_in_the_background_keeps_what_is_deleted_but_not_committed() {
    let folder = temporary_folder();
    let path = folder.path();
    let mut writer = IndexWriter::create(path, Analyzer::WHITESPACE, OPTIONS).expect("a new index");
    writer.merge_in_background(false);
    for number in 0..9 {
        writer.add(&format!("a{number}"), None, "stone bridge").expect("a new id");
        writer.commit().expect("a commit");
    }
    writer.close().expect("no merges");
    let mut writer = reopened(path);
    writer.delete(&["a0"]).expect("a deletion");
    // More passages than fit in the writer's memory: it writes segments, then merges the nine old ones.
    for number in 0..60_000 {
        let words = format!("w{} w{} w{} filler{number}", number % 7, number % 1_013, number % 10_007);
        writer.add(&format!("b{number}"), None, &words).expect("a new id");
    }
    writer.close().expect("merges that end");
    let index = Bm25Index::open(path).expect("an intact index");
    assert_eq!((index.len(), found(&index, "bridge").len()), (9, 9));
    assert_eq!(reopened(path).len(), 9);
}
