//! The passage store: passages are read as they were written, and corrupt files are errors.

use std::path::{Path, PathBuf};

use control::Control;
use corpus::{
    Error, Passage, PassageFormat, PassageStore, PassageStoreWriter, ReadOptions, ingest, open_passages,
};
use proptest::prelude::*;
use storage::{File, FileKind, Writer};

const KIND: FileKind = FileKind { magic: *b"PKPASSG\0", version: 1, name: "passage store" };

fn passage(id: &str, title: Option<&str>, text: &str) -> Passage {
    Passage { id: id.to_owned(), title: title.map(str::to_owned), text: text.to_owned() }
}

fn written(folder: &Path, passages: &[Passage]) -> PathBuf {
    let path = folder.join("passages.store");
    let mut writer = PassageStoreWriter::create(&path).expect("writable");
    for (ord, passage) in (0..).zip(passages) {
        assert_eq!(writer.push(passage).expect("a new id"), ord);
    }
    writer.finish(serde_json::json!({"source": "test"})).expect("writable");
    path
}

#[test]
fn duplicates_and_empty_ids_are_refused_and_others_can_follow() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("passages.store");
    let mut writer = PassageStoreWriter::create(&path).expect("writable");
    writer.push(&passage("a", None, "one")).expect("new");
    let error = writer.push(&passage("a", None, "two")).expect_err("there already");
    assert!(matches!(error, Error::Duplicate { position: 1, .. }));
    assert_eq!(error.to_string(), "passage 1: expected an id that no earlier passage has, got \"a\" again");
    let error = writer.push(&passage("", None, "three")).expect_err("no id").to_string();
    assert_eq!(error, "passage: expected an id, got none at passage 1, which begins \"three\"");
    assert_eq!(writer.push(&passage("b\0\n", Some(""), "")).expect("new"), 1);
    assert!(!path.exists(), "nothing is there before it is whole");
    writer.finish(serde_json::Value::Null).expect("writable");
    let store = PassageStore::open(&path).expect("sound");
    assert_eq!((store.len(), store.find("b\0\n").expect("sound")), (2, Some(1)));
    assert_eq!(store.get(1).expect("there").title, Some(""));
    assert!(matches!(store.get(2), Err(Error::Argument { .. })));
}

#[test]
fn stores_are_shared_and_readers_sent_between_threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<PassageStore>();
    sent::<PassageStoreWriter>();
    sent::<corpus::PassageReader>();
    sent::<corpus::QuestionReader>();
    sent::<corpus::ResultReader>();
    sent::<corpus::TrainingReader>();
}

#[test]
fn an_empty_store_can_be_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = PassageStore::open(written(folder.path(), &[])).expect("sound");
    assert!(store.is_empty() && store.iter().next().is_none());
    assert_eq!(store.find("a").expect("sound"), None);
    assert_eq!(store.metadata()["source"], "test");
}

#[test]
fn the_same_passages_give_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let passages: Vec<_> = (0..1000).map(|n| passage(&format!("p{n}"), Some("T"), "text")).collect();
    let read = || std::fs::read(written(folder.path(), &passages)).expect("there");
    assert_eq!(read(), read());
}

#[test]
fn ingesting_counts_bytes_and_skipped_lines_and_stops_when_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("table.tsv");
    std::fs::write(&table, "id\ttext\ttitle\n1\ta\tT\nbad\n2\tb\tT\n").expect("writable");
    let options = ReadOptions { skip_bad_lines: true, ..ReadOptions::default() };
    let mut writer = PassageStoreWriter::create(folder.path().join("s")).expect("writable");
    let control = Control::new();
    let mut reader = open_passages(&table, PassageFormat::Auto, &options).expect("readable");
    let done = ingest(&mut reader, &mut writer, &control).expect("good");
    assert_eq!((done.passages, done.skipped), (2, 1));
    assert_eq!((control.done(), control.total()), (30, 30));

    control.cancel();
    let mut reader = open_passages(&table, PassageFormat::Auto, &options).expect("readable");
    assert!(matches!(ingest(&mut reader, &mut writer, &control), Err(Error::Cancelled(_))));
}

/// A store with correct checksums and the given, possibly invalid, sections.
fn forged(folder: &Path, passages: u64, sections: [(&str, &[u8]); 3]) -> Result<PassageStore, Error> {
    let path = folder.join("forged");
    let mut writer = Writer::create(&path, KIND).expect("writable");
    for (name, bytes) in sections {
        writer.section(name, bytes).expect("writable");
    }
    writer.finish(serde_json::json!({"passages": passages, "metadata": null})).expect("writable");
    PassageStore::open(path)
}

fn numbers(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn use_all(store: &PassageStore) {
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
        let store = PassageStore::open(written(folder.path(), &passages)).expect("sound");
        store.verify().expect("sound");
        prop_assert_eq!(store.len() as usize, passages.len());
        let all: Vec<Passage> = store.iter().map(|found| found.expect("sound").to_passage()).collect();
        prop_assert_eq!(&all, &passages);
        for (ord, passage) in (0..).zip(&passages) {
            prop_assert_eq!(store.find(&passage.id).expect("sound"), Some(ord));
        }
        prop_assert_eq!(store.find("an id of more than twelve").expect("sound"), None);
    }

    #[test]
    fn invalid_content_with_correct_checksums_is_an_error_or_harmless(
        records in prop::collection::vec(any::<u8>(), 0..24),
        inner in prop::collection::vec(0u64..30, 0..4),
        slots in prop::collection::vec(prop_oneof![Just(u64::MAX), any::<u64>(), 0u64..6], 16),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut offsets = vec![0];
        offsets.extend(&inner);
        offsets.push(records.len() as u64);
        let passages = offsets.len() as u64 - 1;
        let sections = [("records", &records[..]), ("offsets", &numbers(&offsets)), ("ids", &numbers(&slots))];
        let store = forged(folder.path(), passages, sections).expect("its lengths agree");
        use_all(&store);
    }
}

#[test]
fn contradicting_lengths_are_refused_when_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let slots = numbers(&[u64::MAX; 16]);
    let open = |passages, offsets: &[u64], slots: &[u8]| {
        let sections = [("records", b"abc".as_slice()), ("offsets", &numbers(offsets)), ("ids", slots)];
        forged(folder.path(), passages, sections).map(|_| ()).map_err(|error| error.to_string())
    };
    assert!(open(2, &[0, 1, 3], &slots).is_ok());
    assert!(open(1, &[0, 1, 3], &slots).is_err_and(|error| error.contains("got 3 for 1 passages")));
    assert!(open(2, &[0, 1, 4], &slots).is_err_and(|error| error.contains("offsets from the first byte")));
    assert!(open(2, &[1, 1, 3], &slots).is_err());
    assert!(open(2, &[0, 1, 3], &slots[8..]).is_err_and(|error| error.contains("a table of ids")));
    assert!(open(u64::MAX, &[0, 1, 3], &slots).is_err());
}

#[test]
fn a_flipped_bit_is_found_when_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), &[passage("a", Some("T"), "text"), passage("b", None, "more")]);
    let whole = std::fs::read(&path).expect("there");
    let file = File::open(&path, KIND).expect("sound");
    let content: usize =
        ["records", "offsets", "ids"].iter().map(|name| file.section(name).expect("there").len()).sum();
    let mut refused = 0;
    for at in 0..whole.len() {
        let mut broken = whole.clone();
        broken[at] ^= 4;
        std::fs::write(folder.path().join("broken"), broken).expect("writable");
        refused += usize::from(PassageStore::open(folder.path().join("broken")).is_err());
    }
    // All bytes except the padding between sections.
    assert!(refused >= content + 64 && whole.len() - refused < 3 * 64, "{refused} of {}", whole.len());
}
