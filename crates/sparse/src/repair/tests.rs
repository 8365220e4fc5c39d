//! Tests of repairs of indexes with lost and damaged files, and with a deletion that was applied by a merge but never
//! committed.

use std::fs;
use std::path::{Path, PathBuf};

use control::Control;
use tantivy::Term;
use tantivy::indexer::NoMergePolicy;

use super::*;
use crate::index::schema::schema;
use crate::{Analyzer, Bm25, Bm25Index, IndexWriter, PassageFields, WriterOptions};

const OPTIONS: WriterOptions = WriterOptions { overwrite: false, threads: 1, memory: 15_000_000 };

/// Creates an index of stored passages with four segments: `a0` and `a1`; `b0` and `b1`; `c0`; `d0` and `d1`. The deletion of `b1` is part
/// of the last commit. Returns the ids of the six passages that remain.
fn create_index(path: &Path) -> Vec<String> {
    let mut writer = IndexWriter::create(path, Analyzer::SIMPLE, OPTIONS).expect("an empty folder");
    writer.merge_in_background(false);
    for (letter, passages) in [('a', 2), ('b', 2), ('c', 1), ('d', 2)] {
        for number in 0..passages {
            let id = format!("{letter}{number}");
            writer.put_stored(&id, Some("stone"), "bridge", &PassageFields::new()).expect("a new id");
        }
        if letter == 'd' {
            writer.delete(&["b1"]).expect("a deletion");
        }
        writer.commit().expect("a commit");
    }
    writer.close().expect("no merges");
    found_ids(path)
}

/// Opens and verifies an index, and returns the ids of all its passages by searching for a word that they all contain.
fn found_ids(path: &Path) -> Vec<String> {
    let index = Bm25Index::open(path).expect("an intact index");
    index.verify().expect("intact files");
    let searcher = index.searcher();
    let hits = searcher.search("bridge", 100, Bm25::default(), &Control::new()).expect("hits");
    searcher.ids(&hits).expect("ids")
}

/// Reproduces the bug of earlier versions (see `skip_stamp_of_commit` in `writer/open.rs`): the first operation of a
/// tantivy writer is a deletion, and then the writer merges all segments. With `keep_sources`, the files of the source
/// segments remain, as they do while one of our writers has them open.
fn merge_uncommitted_deletion(path: &Path, id: &str, keep_sources: bool) {
    let index = open_index(path).expect("an intact index");
    let metas_in_use = keep_sources.then(|| index.load_metas().expect("a list of segments"));
    let mut writer: tantivy::IndexWriter =
        index.writer_with_num_threads(1, 15_000_000).expect("no other writer");
    writer.set_merge_policy(Box::new(NoMergePolicy));
    let (_, fields) = schema();
    writer.delete_term(Term::from_field_text(fields.id, id));
    let segments = index.searchable_segment_ids().expect("a list of segments");
    writer.merge(&segments).wait().expect("a merge");
    writer.wait_merging_threads().expect("no merges");
    drop(metas_in_use);
}

#[test]
fn a_deletion_that_was_merged_but_never_committed_is_undone() {
    // `c0` is the only passage of its segment.
    for deleted in ["a0", "a1", "c0", "d1"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let before = create_index(folder.path());
        merge_uncommitted_deletion(folder.path(), deleted, true);
        match Bm25Index::open(folder.path()) {
            Err(error @ Error::MissingPassages { expected: 6, found: 5, .. }) => {
                assert!(error.to_string().contains("repair"), "{error}");
            }
            other => panic!("{other:?}"),
        }
        let repaired = repair(folder.path()).expect("a repair");
        assert_eq!(repaired, Repair { restored: 1, ..Repair::default() });
        assert_eq!(found_ids(folder.path()), before);
        assert_eq!(repair(folder.path()).expect("nothing to repair"), Repair::default());
        let mut writer = IndexWriter::open(folder.path(), OPTIONS).expect("an intact index");
        assert_eq!(writer.delete(&[deleted]).expect("a deletion"), 1);
        writer.commit().expect("a commit");
        writer.merge().expect("a merge");
        assert_eq!(found_ids(folder.path()).len(), before.len() - 1);
    }
}

#[test]
fn if_the_source_segments_are_gone_the_remaining_passages_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut before = create_index(folder.path());
    merge_uncommitted_deletion(folder.path(), "a0", false);
    let repaired = repair(folder.path()).expect("a repair");
    assert_eq!(repaired, Repair { lost: 1, ..Repair::default() });
    before.retain(|id| id != "a0");
    assert_eq!(found_ids(folder.path()), before);
    let mut writer = IndexWriter::open(folder.path(), OPTIONS).expect("an intact index");
    writer.add("a0", None, "stone bridge").expect("an id that is free again");
    writer.commit().expect("a commit");
    assert_eq!(found_ids(folder.path()).len(), 6);
}

#[test]
fn a_missing_impact_file_is_an_error_until_it_is_rebuilt() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let before = create_index(folder.path());
    let entries = fs::read_dir(folder.path()).expect("a folder");
    let mut files = entries.map(|entry| entry.expect("an entry").path());
    let impacts = files.find(|file| file.extension().is_some_and(|end| end == "impacts"));
    let impacts = impacts.expect("an impact file");
    let content = fs::read(&impacts).expect("an impact file");
    fs::remove_file(&impacts).expect("a file to remove");
    let error = Bm25Index::open(folder.path()).expect_err("a lost file").to_string();
    assert!(error.contains(".impacts") && error.contains("repair"), "{error}");
    let repaired = repair(folder.path()).expect("a repair");
    assert_eq!(repaired, Repair { rebuilt_files: 1, ..Repair::default() });
    assert_eq!(fs::read(&impacts).expect("an impact file"), content);
    assert_eq!(found_ids(folder.path()), before);
}

#[test]
fn truncated_and_corrupt_impact_files_are_rebuilt() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let before = create_index(folder.path());
    let entries = fs::read_dir(folder.path()).expect("a folder");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let impacts: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|end| end == "impacts")).collect();
    for (file, length) in impacts.iter().zip([0, 7, 100]) {
        let content = fs::read(file).expect("an impact file");
        fs::write(file, &content[..length]).expect("a file to damage");
    }
    let mut flipped = fs::read(&impacts[3]).expect("an impact file");
    // A bit of the postings, after the header of 16 bytes.
    flipped[20] ^= 1;
    fs::write(&impacts[3], flipped).expect("a file to damage");
    let repaired = repair(folder.path()).expect("a repair");
    assert_eq!(repaired, Repair { rebuilt_files: 4, ..Repair::default() });
    assert_eq!(found_ids(folder.path()), before);
}

#[test]
fn an_impact_file_cannot_be_rebuilt_if_a_passage_is_not_stored() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = IndexWriter::create(folder.path(), Analyzer::SIMPLE, OPTIONS).expect("an empty folder");
    writer.put_stored("a", None, "stone bridge", &PassageFields::new()).expect("a new id");
    writer.add("b", None, "steel bridge").expect("a new id");
    writer.commit().expect("a commit");
    writer.close().expect("no merges");
    let entries = fs::read_dir(folder.path()).expect("a folder");
    let mut files = entries.map(|entry| entry.expect("an entry").path());
    let impacts = files.find(|file| file.extension().is_some_and(|end| end == "impacts"));
    let impacts = impacts.expect("an impact file");
    let damaged = [&fs::read(&impacts).expect("an impact file")[..], b"!"].concat();
    fs::write(&impacts, &damaged).expect("a file to damage");
    assert!(matches!(repair(folder.path()), Err(Error::Corrupt { .. })));
    assert!(fs::read(&impacts).is_ok_and(|content| content == damaged));
}

#[test]
fn no_impact_file_is_built_from_damaged_stored_passages() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let before = create_index(folder.path());
    let entries = fs::read_dir(folder.path()).expect("a folder");
    let files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    let impacts = files.iter().find(|file| file.extension().is_some_and(|end| end == "impacts"));
    let impacts = impacts.expect("an impact file");
    fs::remove_file(impacts).expect("a file to remove");
    let stored = impacts.with_extension("store");
    let content = fs::read(&stored).expect("stored passages");
    let mut damaged = content.clone();
    damaged[0] ^= 1;
    fs::write(&stored, damaged).expect("a file to damage");
    assert!(matches!(repair(folder.path()), Err(Error::Corrupt { .. })));
    assert!(!impacts.exists());
    fs::write(&stored, content).expect("a file to restore");
    assert_eq!(repair(folder.path()).expect("a repair"), Repair { rebuilt_files: 1, ..Repair::default() });
    assert_eq!(found_ids(folder.path()), before);
}

#[test]
fn the_missing_impact_file_of_a_restored_segment_is_rebuilt() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let before = create_index(folder.path());
    merge_uncommitted_deletion(folder.path(), "a0", true);
    for entry in fs::read_dir(folder.path()).expect("a folder") {
        let file = entry.expect("an entry").path();
        if file.extension().is_some_and(|end| end == "impacts") {
            fs::remove_file(file).expect("a file to remove");
        }
    }
    let repaired = repair(folder.path()).expect("a repair");
    // The impact files of the merged segment and of its four source segments.
    assert_eq!(repaired, Repair { rebuilt_files: 5, restored: 1, lost: 0 });
    assert_eq!(found_ids(folder.path()), before);
}

#[test]
fn a_repair_fails_while_a_writer_is_open_and_does_not_change_meta_json_if_other_files_are_damaged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    create_index(folder.path());
    let writer = IndexWriter::open(folder.path(), OPTIONS).expect("an intact index");
    assert!(matches!(repair(folder.path()), Err(Error::Locked { .. })));
    drop(writer);
    let entries = fs::read_dir(folder.path()).expect("a folder");
    let mut files = entries.map(|entry| entry.expect("an entry").path());
    let terms = files.find(|file| file.extension().is_some_and(|end| end == "term")).expect("terms");
    let content = fs::read(&terms).expect("terms");
    fs::write(&terms, &content[1..]).expect("a file to damage");
    let list = fs::read(folder.path().join("meta.json")).expect("a list of segments");
    assert!(matches!(repair(folder.path()), Err(Error::Corrupt { .. })));
    assert_eq!(fs::read(folder.path().join("meta.json")).expect("a list of segments"), list);
}
