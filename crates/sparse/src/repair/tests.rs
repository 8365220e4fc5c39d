//! Tests of repairs of indexes with lost and damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::{Analyzer, Bm25, Bm25Index, IndexWriter, PassageFields, WriterOptions};
use control::Control;

const OPTIONS: WriterOptions = WriterOptions { overwrite: false, threads: 1, memory: 15_000_000 };

/// Creates an index of stored passages with four segments: `a0` and `a1`; `b0` and `b1`; `c0`; `d0` and `d1`. The
/// deletion of `b1` is part of the last commit. Returns the ids of the six passages that remain.
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
    assert_eq!(repaired, Repair { rebuilt_files: 1 });
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
    assert_eq!(repaired, Repair { rebuilt_files: 4 });
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
    assert_eq!(repair(folder.path()).expect("a repair"), Repair { rebuilt_files: 1 });
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
