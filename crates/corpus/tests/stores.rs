//! Passage stores return passages as they were written, and detect corrupt files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use control::Control;
use corpus::{
    Error, Passage, PassageFormat, PassageStore, PassageStoreWriter, PassageTexts, ReadOptions, ingest,
    open_passages,
};
use proptest::prelude::*;
use storage::{File, FileKind, Writer};

/// The file kind of passage stores, a copy of the private constant in `src/store/mod.rs`.
const KIND: FileKind = FileKind { magic: *b"PKPASSG\0", version: 1, name: "passage store" };

fn passage(id: &str, title: Option<&str>, text: &str) -> Passage {
    Passage { id: id.to_owned(), title: title.map(str::to_owned), text: text.to_owned() }
}

/// Writes a store with these passages and returns its path.
fn write_store(folder: &Path, passages: &[Passage]) -> PathBuf {
    let path = folder.join("passages.store");
    let mut writer = PassageStoreWriter::create(&path).expect("writable");
    for (ord, passage) in (0..).zip(passages) {
        assert_eq!(writer.push(passage).expect("a new id"), ord);
    }
    writer.finish(serde_json::json!({"source": "test"})).expect("writable");
    path
}

#[test]
fn duplicate_and_empty_ids_are_refused_and_other_passages_can_follow() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("passages.store");
    let mut writer = PassageStoreWriter::create(&path).expect("writable");
    writer.push(&passage("a", None, "one")).expect("new");
    let error = writer.push(&passage("a", None, "two")).expect_err("a duplicate");
    assert!(matches!(error, Error::Duplicate { position: 1, .. }));
    assert_eq!(
        error.to_string(),
        "passage 1 (counted from 0): expected an id that no earlier passage has, got \"a\" again"
    );
    let error = writer.push(&passage("", None, "three")).expect_err("no id").to_string();
    assert_eq!(error, "passage: expected an id, got none at passage 1, which begins \"three\"");
    assert_eq!(writer.push(&passage("b\0\n", Some(""), "")).expect("new"), 1);
    assert!(!path.exists(), "the file appears only when it is complete");
    writer.finish(serde_json::Value::Null).expect("writable");
    let store = PassageStore::open(&path).expect("valid");
    assert_eq!((store.len(), store.find("b\0\n").expect("valid")), (2, Some(1)));
    assert_eq!(store.get(1).expect("present").title, Some(""));
    assert!(matches!(store.get(2), Err(Error::Argument { .. })));
}

#[test]
fn stores_can_be_shared_between_threads_and_readers_and_writers_can_be_moved_to_other_threads() {
    fn can_be_shared<T: Send + Sync>() {}
    fn can_be_moved<T: Send>() {}
    can_be_shared::<PassageStore>();
    can_be_moved::<PassageStoreWriter>();
    can_be_moved::<corpus::PassageReader>();
    can_be_moved::<corpus::QuestionReader>();
    can_be_moved::<corpus::ResultReader>();
    can_be_moved::<corpus::TrainingReader>();
}

#[test]
fn an_empty_store_can_be_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = PassageStore::open(write_store(folder.path(), &[])).expect("valid");
    assert!(store.is_empty() && store.iter().next().is_none());
    assert_eq!(store.find("a").expect("valid"), None);
    assert_eq!(store.metadata()["source"], "test");
}

#[test]
fn the_same_passages_give_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let passages: Vec<_> = (0..1000).map(|n| passage(&format!("p{n}"), Some("T"), "text")).collect();
    let write_and_read = || std::fs::read(write_store(folder.path(), &passages)).expect("present");
    assert_eq!(write_and_read(), write_and_read());
}

#[test]
fn ingest_counts_bytes_and_skipped_lines_and_can_be_canceled() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("table.tsv");
    std::fs::write(&table, "id\ttext\ttitle\n1\ta\tT\nbad\n2\tb\tT\n").expect("writable");
    let options = ReadOptions { skip_bad_lines: true, ..ReadOptions::default() };
    let mut writer = PassageStoreWriter::create(folder.path().join("s")).expect("writable");
    let control = Control::new();
    let mut reader = open_passages(&table, PassageFormat::Auto, &options).expect("readable");
    let ingested = ingest(&mut reader, &mut writer, &control).expect("valid");
    assert_eq!((ingested.passages, ingested.skipped), (2, 1));
    assert_eq!((control.done(), control.total()), (30, 30), "the bytes of the file");

    control.cancel();
    let mut reader = open_passages(&table, PassageFormat::Auto, &options).expect("readable");
    assert!(matches!(ingest(&mut reader, &mut writer, &control), Err(Error::Canceled(_))));
}

/// Writes a store with these sections, whose content may be invalid but has correct checksums, and opens it.
fn open_forged(folder: &Path, passages: u64, sections: [(&str, &[u8]); 3]) -> Result<PassageStore, Error> {
    let path = folder.join("forged");
    let mut writer = Writer::create(&path, KIND).expect("writable");
    for (name, bytes) in sections {
        writer.section(name, bytes).expect("writable");
    }
    writer.finish(serde_json::json!({"passages": passages, "metadata": null})).expect("writable");
    PassageStore::open(path)
}

/// Returns the bytes of numbers in little-endian order.
fn le_bytes(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Reads all passages and searches for a few ids. Errors are allowed, panics are not.
fn read_all(store: &PassageStore) {
    for found in store.iter() {
        let _ = found;
    }
    for id in ["", "a", "b", "p1"] {
        let _ = store.find(id);
    }
}

proptest! {
    #[test]
    fn passages_are_read_as_they_were_written(
        passages in prop::collection::hash_map(".{1,12}", (any::<Option<String>>(), any::<String>()), 0..60),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let passages: Vec<Passage> =
            passages.into_iter().map(|(id, (title, text))| Passage { id, title, text }).collect();
        let store = PassageStore::open(write_store(folder.path(), &passages)).expect("valid");
        store.verify().expect("valid");
        prop_assert_eq!(store.len() as usize, passages.len());
        let all: Vec<Passage> = store.iter().map(|found| found.expect("valid").to_passage()).collect();
        prop_assert_eq!(&all, &passages);
        for (ord, passage) in (0..).zip(&passages) {
            prop_assert_eq!(store.find(&passage.id).expect("valid"), Some(ord));
        }
        prop_assert_eq!(store.find("an id of more than twelve").expect("valid"), None);
    }

    #[test]
    fn invalid_content_with_correct_checksums_causes_no_panic(
        records in prop::collection::vec(any::<u8>(), 0..24),
        inner_offsets in prop::collection::vec(0u64..30, 0..4),
        slots in prop::collection::vec(prop_oneof![Just(u64::MAX), any::<u64>(), 0u64..6], 16),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut offsets = vec![0];
        offsets.extend(&inner_offsets);
        offsets.push(records.len() as u64);
        let passages = offsets.len() as u64 - 1;
        let sections =
            [("records", &records[..]), ("offsets", &le_bytes(&offsets)), ("ids", &le_bytes(&slots))];
        let store = open_forged(folder.path(), passages, sections).expect("consistent lengths");
        read_all(&store);
    }
}

#[test]
fn a_store_whose_sections_have_contradictory_lengths_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let slots = le_bytes(&[u64::MAX; 16]);
    let open = |passages, offsets: &[u64], slots: &[u8]| {
        let sections = [("records", b"abc".as_slice()), ("offsets", &le_bytes(offsets)), ("ids", slots)];
        open_forged(folder.path(), passages, sections).map(|_| ()).map_err(|error| error.to_string())
    };
    assert!(open(2, &[0, 1, 3], &slots).is_ok());
    assert!(open(1, &[0, 1, 3], &slots).is_err_and(|error| error.contains("got 3 for 1 passages")));
    assert!(open(2, &[0, 1, 4], &slots).is_err_and(|error| error.contains("offsets from 0 to the length")));
    assert!(open(2, &[1, 1, 3], &slots).is_err());
    assert!(open(2, &[0, 1, 3], &slots[8..]).is_err_and(|error| error.contains("a table of ids")));
    assert!(open(u64::MAX, &[0, 1, 3], &slots).is_err());
}

#[test]
fn a_flipped_bit_is_detected_when_a_store_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write_store(folder.path(), &[passage("a", Some("T"), "text"), passage("b", None, "more")]);
    let bytes = std::fs::read(&path).expect("present");
    let file = File::open(&path, KIND).expect("valid");
    let section_bytes: usize =
        ["records", "offsets", "ids"].iter().map(|name| file.section(name).expect("present").len()).sum();
    let mut refused = 0;
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 4;
        std::fs::write(folder.path().join("broken"), broken).expect("writable");
        refused += usize::from(PassageStore::open(folder.path().join("broken")).is_err());
    }
    // A flipped bit is detected in every byte except in the padding between sections, which has no checksum. Each of
    // the three sections is padded to a multiple of 64 bytes, and the header before them has 64.
    assert!(refused >= section_bytes + 64 && bytes.len() - refused < 3 * 64, "{refused} of {}", bytes.len());
}

#[test]
fn passages_are_found_by_id_in_a_store_and_in_memory() {
    let passages = [passage("a", Some("A"), "one"), passage("b", None, "two")];
    let folder = tempfile::tempdir().expect("a folder");
    let store = Arc::new(PassageStore::open(write_store(folder.path(), &passages)).expect("valid"));
    let mut in_store = PassageTexts::from(Arc::clone(&store));
    let mut in_memory = PassageTexts::default();
    in_memory.extend(passages.clone());
    for texts in [&in_store, &in_memory] {
        let found = |id: &str| texts.get(id).expect("valid").map(|passage| passage.to_passage());
        assert_eq!(found("a").as_ref(), Some(&passages[0]));
        assert_eq!(found("b").as_ref(), Some(&passages[1]));
        assert_eq!(found("c"), None);
    }

    let added = passage("c", None, "three");
    in_store.extend([added.clone()]);
    assert_eq!(in_store.get("c").expect("valid"), None, "a store is not extended");
    let before = in_memory.clone();
    in_memory.extend([added]);
    assert_eq!(in_memory.get("c").expect("valid").map(|passage| passage.text), Some("three"));
    assert_eq!(before.get("c").expect("valid"), None, "a clone does not have passages that were added later");
    assert!(in_store.store().is_some_and(|found| Arc::ptr_eq(found, &store)) && in_memory.store().is_none());
}

#[test]
fn passages_are_read_in_batches_and_the_progress_counts_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("passages.tsv");
    std::fs::write(&table, "id\ttext\ttitle\n1\tone\tA\n2\ttwo\tB\n3\tthree\tC\n").expect("writable");
    let mut reader =
        open_passages(&table, PassageFormat::Dpr, &ReadOptions::default()).expect("a table of passages");
    let control = Arc::new(Control::new());
    let ids = |batch: Vec<Passage>| batch.into_iter().map(|passage| passage.id).collect::<Vec<_>>();
    assert_eq!(ids(reader.next_batch(2, &control).expect("passages")), ["1", "2"]);
    assert_eq!(control.total(), std::fs::metadata(&table).expect("a file").len());
    assert_eq!(control.done(), reader.bytes_read());
    assert_eq!(ids(reader.next_batch(2, &control).expect("passages")), ["3"]);
    assert_eq!(ids(reader.next_batch(2, &control).expect("no passages")), [""; 0]);

    let mut reader =
        open_passages(&table, PassageFormat::Dpr, &ReadOptions::default()).expect("a table of passages");
    control.cancel();
    assert!(matches!(reader.next_batch(2, &control), Err(Error::Canceled(_))));
}
