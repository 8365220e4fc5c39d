//! If index files are corrupt, opening and searching return either an error or the correct hits. They never panic, and
//! never return wrong hits. A merge does not panic either, even if corrupt files have valid checksums.

use std::fs;
use std::path::{Path, PathBuf};

use control::Control;
use sparse::{Analyzer, Bm25, Bm25Index, Error, Filter, IndexWriter, WriterOptions};

const OPTIONS: WriterOptions = WriterOptions { overwrite: true, threads: 1, memory: 15_000_000 };

/// Opens an index, reads the fields of a passage, and returns the ids and scores of a search with a filter.
fn search(path: &Path) -> Result<Vec<(String, f32)>, Error> {
    let searcher = Bm25Index::open(path)?.searcher();
    let filter = Filter::Equals { field: "parity".to_owned(), value: 1.0.into() };
    let filtered = searcher.filtered(Some(&filter), &Control::new())?;
    let hits = filtered.search("common w7 w11", 50, Bm25::default(), &Control::new())?;
    searcher.fields("p1")?;
    Ok(searcher.ids(&hits)?.into_iter().zip(hits.iter().map(|hit| hit.score)).collect())
}

/// Creates an index, and returns what [`search`] finds in it.
fn create_index(path: &Path) -> Vec<(String, f32)> {
    let mut writer = IndexWriter::create(path, Analyzer::ENGLISH, OPTIONS).expect("an empty folder");
    for at in 0..400 {
        let text = format!("common w{} w{}", at % 13, at % 29);
        let fields =
            [("parity".to_owned(), f64::from(at % 2).into()), ("word".to_owned(), text.as_str().into())];
        let id = format!("p{at}");
        writer.add_with_fields(&id, Some("title"), &text, &fields.into()).expect("a new id");
        if at == 250 {
            writer.commit().expect("a commit");
        }
    }
    writer.delete(&["p3", "p390"]).expect("a deletion");
    writer.commit().expect("a commit");
    writer.close().expect("merges that end");
    search(path).expect("an intact index")
}

/// Returns the files of an index except lock files, sorted by name.
fn files(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> =
        entries.filter(|file| file.extension().is_none_or(|ext| ext != "lock")).collect();
    files.sort();
    files
}

/// Returns true for every file of an index except `meta.json` and `.managed.json`.
fn is_segment_file(file: &Path) -> bool {
    file.extension().is_none_or(|extension| extension != "json")
}

#[test]
fn corrupt_files_are_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let intact = create_index(folder.path());
    let mut reported = 0;
    for file in files(folder.path()) {
        let content = fs::read(&file).expect("a file");
        let step = (content.len() / 40).max(1);
        let truncated = (0..content.len()).step_by(step).map(|length| content[..length].to_vec());
        // In JSON files, every byte is changed; in others, about 40 bytes.
        let changed = (0..content.len()).step_by(if is_segment_file(&file) { step } else { 1 }).map(|at| {
            let mut content = content.clone();
            content[at] ^= 0x11;
            content
        });
        for content in truncated.chain(changed) {
            fs::write(&file, content).expect("a file to damage");
            match search(folder.path()) {
                Ok(got) => {
                    assert!(!is_segment_file(&file), "{} was damaged", file.display());
                    assert_eq!(got, intact, "{}", file.display());
                }
                Err(
                    Error::Corrupt { .. }
                    | Error::Version { .. }
                    | Error::AnalyzerVersion { .. }
                    | Error::NotAnIndex { .. },
                ) => reported += 1,
                Err(error) => panic!("{}: {error:?}", file.display()),
            }
            // Opening a writer must not panic either, and must not blame a lock or the engine.
            if let Err(Error::Locked { .. } | Error::Engine { .. }) =
                IndexWriter::open(folder.path(), OPTIONS).map(drop)
            {
                panic!("{}: not reported as corrupt", file.display());
            }
        }
        fs::write(&file, content).expect("a file to restore");
        assert_eq!(search(folder.path()).expect("an intact index"), intact);
    }
    assert!(reported > 100);
}

#[test]
fn missing_files_are_reported_and_a_corrupt_index_can_be_overwritten() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let intact = create_index(folder.path());
    for file in files(folder.path()).into_iter().filter(|file| is_segment_file(file)) {
        let content = fs::read(&file).expect("a file");
        fs::remove_file(&file).expect("a file to remove");
        match search(folder.path()) {
            // The index has no positions, so searches do not read the file of positions.
            Ok(got) if file.extension().is_some_and(|end| end == "pos") => {
                assert_eq!(got, intact);
            }
            Ok(_) => panic!("{} is missing", file.display()),
            Err(error) => assert!(matches!(error, Error::Corrupt { .. }), "{error:?}"),
        }
        fs::write(&file, content).expect("a file to restore");
    }
    let terms =
        files(folder.path()).into_iter().find(|file| file.extension().is_some_and(|ext| ext == "term"));
    fs::write(terms.expect("a term file"), "no").expect("a file to damage");
    let keep = WriterOptions { overwrite: false, ..OPTIONS };
    assert!(IndexWriter::create(folder.path(), Analyzer::ENGLISH, keep).is_err());
    fs::write(folder.path().join("notes.txt"), "notes").expect("a file of the user");
    create_index(folder.path());
    assert!(folder.path().join("notes.txt").exists());
}

/// Returns the content of a tantivy file with the checksum corrected. The checksum is in a JSON footer at the end of
/// the file, which is followed by the footer's length and a magic number (four bytes each).
fn with_valid_checksum(mut content: Vec<u8>) -> Vec<u8> {
    let tail = content.len() - 8;
    let length = u32::from_le_bytes(content[tail..tail + 4].try_into().expect("four bytes")) as usize;
    let end = content.split_off(tail - length);
    let footer = std::str::from_utf8(&end[..length]).expect("JSON");
    let (before, rest) = footer.split_once(r#""crc":"#).expect("a checksum");
    let after = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let footer = format!(r#"{before}"crc":{}{after}"#, crc32fast::hash(&content));
    content.extend(footer.as_bytes());
    content.extend((footer.len() as u32).to_le_bytes());
    content.extend(&end[length + 4..]);
    content
}

#[test]
fn merging_corrupt_segments_with_valid_checksums_causes_no_panic() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    create_index(folder.path());
    let all = files(folder.path());
    let mut reported = 0;
    for file in all.iter().filter(|file| is_segment_file(file)) {
        let content = fs::read(file).expect("a file");
        assert_eq!(with_valid_checksum(content.clone()), content, "{}", file.display());
        let length = content[content.len() - 8..content.len() - 4].try_into().expect("four bytes");
        // The length of the file without the footer, the footer's length and the magic number.
        let body = content.len() - 8 - u32::from_le_bytes(length) as usize;
        for at in (0..body).step_by((body / 12).max(1)) {
            let mut content = content.clone();
            content[at] ^= 0x41;
            let content = with_valid_checksum(content);
            let crafted = tempfile::tempdir().expect("a temporary folder");
            for file in &all {
                fs::copy(file, crafted.path().join(file.file_name().expect("a name"))).expect("a copy");
            }
            fs::write(crafted.path().join(file.file_name().expect("a name")), content)
                .expect("a file to craft");
            let merged = IndexWriter::open(crafted.path(), OPTIONS).and_then(|mut writer| writer.merge());
            match merged {
                Ok(()) | Err(Error::Version { .. }) => {}
                Err(Error::Corrupt { .. }) => reported += 1,
                Err(error) => panic!("{} at {at}: {error:?}", file.display()),
            }
        }
    }
    assert!(reported > 20, "{reported}");
}

#[test]
fn an_index_of_an_earlier_version_is_refused_until_it_is_overwritten() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let intact = create_index(folder.path());
    let meta = folder.path().join("meta.json");
    let text = fs::read_to_string(&meta).expect("a commit").replace(r#"\"version\":3"#, r#"\"version\":2"#);
    // In version 2, tantivy indexed titles and texts.
    let mut earlier: serde_json::Value = serde_json::from_str(&text).expect("a commit");
    assert_eq!(earlier["schema"][0]["name"], "contents");
    earlier["schema"][0]["options"]["indexing"] =
        serde_json::json!({"record": "freq", "fieldnorms": true, "tokenizer": "passagekit"});
    fs::write(&meta, earlier.to_string()).expect("a commit to change");
    match Bm25Index::open(folder.path()) {
        Err(Error::Version { expected: 3, got, .. }) => assert_eq!(got, "version 2"),
        other => panic!("{other:?}"),
    }
    assert!(matches!(IndexWriter::open(folder.path(), OPTIONS), Err(Error::Version { .. })));
    let keep = WriterOptions { overwrite: false, ..OPTIONS };
    let kept = IndexWriter::create(folder.path(), Analyzer::ENGLISH, keep);
    assert!(matches!(kept, Err(Error::AlreadyExists { .. })));
    assert_eq!(create_index(folder.path()), intact);
}

#[test]
fn an_index_can_be_created_in_a_folder_where_removing_another_index_was_interrupted() {
    let source = tempfile::tempdir().expect("a temporary folder");
    create_index(source.path());
    let all = files(source.path());
    let keep = WriterOptions { overwrite: false, ..OPTIONS };
    // The removal of an index begins with `meta.json`, continues with segment files, and ends with `.managed.json`,
    // which may be corrupt as well.
    for remaining in (0..all.len()).step_by(3) {
        for managed in [fs::read(source.path().join(".managed.json")).expect("a list"), b"[\"a".to_vec()] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            for file in all.iter().filter(|file| is_segment_file(file)).take(remaining) {
                fs::copy(file, folder.path().join(file.file_name().expect("a name"))).expect("a copy");
            }
            fs::write(folder.path().join(".managed.json"), &managed).expect("a file");
            assert!(matches!(
                Bm25Index::open(folder.path()),
                Err(Error::NotAnIndex { .. } | Error::Corrupt { .. })
            ));
            let mut writer =
                IndexWriter::create(folder.path(), Analyzer::ENGLISH, keep).expect("no index in the way");
            writer.add("a", None, "common").expect("a new id");
            writer.commit().expect("a commit");
            assert_eq!(Bm25Index::open(folder.path()).expect("an intact index").len(), 1);
            let terms = files(folder.path())
                .into_iter()
                .filter(|file| file.extension().is_some_and(|ext| ext == "term"));
            assert_eq!(terms.count(), 1, "no file of the old index is left");
        }
    }
}
