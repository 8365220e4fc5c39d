//! Random sequences of writer operations, compared with a model: a list of passages.
//!
//! After every operation, a reloaded index must have exactly the passages of the last commit, even if there are
//! uncommitted changes, segments are being merged, or the writer was killed. Sequences are deterministic, so proptest
//! can shrink failures.
//!
//! The tests run 2,000 sequences, and 60 in which writers are killed; 25 times as many with `PASSAGEKIT_LONG=1`.
#![cfg(unix)]

mod model;
mod operation;
mod perform;

use std::path::Path;

use proptest::prelude::*;
use sparse::{Analyzer, Bm25Index, IndexWriter};

use model::Model;
use operation::{Operation, operation};
use perform::{OPTIONS, check_reader, exact_statistics, found, perform, perform_in_child, reopen};

/// Returns proptest's configuration for this number of cases, or 25 times as many with `PASSAGEKIT_LONG`.
fn cases(usual: u32) -> ProptestConfig {
    let long = std::env::var_os("PASSAGEKIT_LONG").is_some();
    ProptestConfig {
        cases: if long { 25 * usual } else { usual },
        max_shrink_iters: 2_000,
        ..ProptestConfig::default()
    }
}

/// Creates a temporary folder, in memory if possible: that is faster, and these tests do not depend on durability.
fn temporary_folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }
        .expect("a temporary folder")
}

/// Performs operations and compares the index with the model after each. The operations up to a `Kill` run in a child
/// process, and are checked together after the kill.
fn check_sequence(operations: &[Operation]) {
    let folder = temporary_folder();
    let path = folder.path().join("index");
    let mut model = Model::default();
    let mut writer = IndexWriter::create(&path, Analyzer::WHITESPACE, OPTIONS).expect("a new index");
    // The first commit has a passage, because a folder without such a commit does not count as an index.
    writer = perform(writer, &path, &mut model, &Operation::Add(0));
    writer = perform(writer, &path, &mut model, &Operation::Commit);
    let index = Bm25Index::open(&path).expect("an intact index");
    let mut parts: Vec<&[Operation]> = operations.split(|operation| *operation == Operation::Kill).collect();
    let last = parts.pop().expect("at least one part");
    for part in parts {
        drop(writer);
        perform_in_child(&path, &mut model, part);
        Bm25Index::open(&path).expect("an intact index after a kill").verify().expect("intact files");
        index.reload().expect("an intact index after a kill");
        check_reader(&index, &model);
        writer = reopen(&path);
    }
    for operation in last {
        writer = perform(writer, &path, &mut model, operation);
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

// The same test twice, so that two cores run it, with different random sequences.
proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn after_any_sequence_of_operations_the_index_has_the_passages_of_the_model(
        operations in prop::collection::vec(operation(), 1..16),
    ) {
        check_sequence(&operations);
    }

    #[test]
    fn after_any_other_sequence_of_operations_the_index_has_the_passages_of_the_model(
        operations in prop::collection::vec(operation(), 1..16),
    ) {
        check_sequence(&operations);
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn after_writers_were_killed_the_index_has_the_last_commit(
        operations in prop::collection::vec(prop_oneof![8 => operation(), 1 => Just(Operation::Kill)], 8..30),
    ) {
        check_sequence(&operations);
    }
}

#[test]
fn a_merge_does_not_apply_an_uncommitted_deletion_that_is_the_first_operation_of_a_writer() {
    // See `skip_stamp_of_commit` in `src/writer/open.rs`.
    for first in [Operation::Delete(0), Operation::Update(0)] {
        let operations = [Operation::Commits(2), Operation::Close, first.clone(), Operation::Merge];
        check_sequence(&operations);
        let operations =
            [Operation::Commits(2), Operation::Delete(1), Operation::Rollback, first, Operation::Merge];
        check_sequence(&operations);
    }
}

#[test]
fn a_background_merge_does_not_apply_uncommitted_deletions() {
    let folder = temporary_folder();
    let path = folder.path();
    let mut writer = IndexWriter::create(path, Analyzer::WHITESPACE, OPTIONS).expect("a new index");
    writer.merge_in_background(false);
    for number in 0..9 {
        writer.add(&format!("a{number}"), None, "stone bridge").expect("a new id");
        writer.commit().expect("a commit");
    }
    writer.close().expect("no merges");
    let mut writer = reopen(path);
    writer.delete(&["a0"]).expect("a deletion");
    // These are more passages than fit in the writer's memory. So it writes segments, and merges the nine committed
    // ones in the background.
    for number in 0..60_000 {
        let words = format!("w{} w{} w{} filler{number}", number % 7, number % 1_013, number % 10_007);
        writer.add(&format!("b{number}"), None, &words).expect("a new id");
    }
    writer.close().expect("merges that end");
    let index = Bm25Index::open(path).expect("an intact index");
    assert_eq!((index.len(), found(&index, "bridge").len()), (9, 9));
    assert_eq!(reopen(path).len(), 9);
}
