//! With corrupt index files, opening and searching fail or give the right answers. They never panic and never give wrong
//! answers.

use std::fs;
use std::path::{Path, PathBuf};

use control::Control;
use sparse::{Analyzer, Bm25, Bm25Index, Error, Filter, IndexWriter, WriterOptions};

const OPTIONS: WriterOptions = WriterOptions { overwrite: true, threads: 1, memory: 15_000_000 };

fn answers(path: &Path) -> Result<Vec<(String, f32)>, Error> {
    let searcher = Bm25Index::open(path)?.searcher();
    let filter = Filter::Equals { field: "parity".to_owned(), value: 1.0.into() };
    let filtered = searcher.filtered(Some(&filter), &Control::new())?;
    let hits = filtered.search("common w7 w11", 50, Bm25::default(), &Control::new())?;
    searcher.fields("p1")?;
    Ok(searcher.ids(&hits)?.into_iter().zip(hits.iter().map(|hit| hit.score)).collect())
}

fn index(path: &Path) -> Vec<(String, f32)> {
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
    answers(path).expect("an intact index")
}

/// The files of the index, without locks.
fn files(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> =
        entries.filter(|file| file.extension().is_none_or(|ext| ext != "lock")).collect();
    files.sort();
    files
}

fn is_segment_file(file: &Path) -> bool {
    file.extension().is_none_or(|extension| extension != "json")
}

#[test]
fn damaged_files_are_errors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let intact = index(folder.path());
    let mut damaged = 0;
    for file in files(folder.path()) {
        let content = fs::read(&file).expect("a file");
        let steps = (content.len() / 40).max(1);
        let truncated = (0..content.len()).step_by(steps).map(|length| content[..length].to_vec());
        let flipped = (0..content.len()).step_by(if is_segment_file(&file) { steps } else { 1 }).map(|at| {
            let mut content = content.clone();
            content[at] ^= 0x11;
            content
        });
        for content in truncated.chain(flipped) {
            fs::write(&file, content).expect("a file to damage");
            match answers(folder.path()) {
                Ok(got) => {
                    assert!(!is_segment_file(&file), "{} was damaged", file.display());
                    assert_eq!(got, intact, "{}", file.display());
                }
                Err(
                    Error::Corrupt { .. }
                    | Error::Version { .. }
                    | Error::AnalyzerVersion { .. }
                    | Error::NotAnIndex { .. },
                ) => damaged += 1,
                Err(error) => panic!("{}: {error:?}", file.display()),
            }
            // Opening to write must not panic either, nor hide the damage.
            if let Err(Error::Locked { .. } | Error::Engine { .. }) =
                IndexWriter::open(folder.path(), OPTIONS).map(drop)
            {
                panic!("{}: not named as damage", file.display());
            }
        }
        fs::write(&file, content).expect("a file to mend");
        assert_eq!(answers(folder.path()).expect("an intact index"), intact);
    }
    assert!(damaged > 100);
}

#[test]
fn missing_files_are_errors_and_a_damaged_index_can_be_overwritten() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let intact = index(folder.path());
    for file in files(folder.path()).into_iter().filter(|file| is_segment_file(file)) {
        let content = fs::read(&file).expect("a file");
        fs::remove_file(&file).expect("a file to remove");
        match answers(folder.path()) {
            // The index has no positions, so their file is empty.
            Ok(got) if file.extension().is_some_and(|end| end == "pos") => {
                assert_eq!(got, intact);
            }
            Ok(_) => panic!("{} is missing", file.display()),
            Err(error) => assert!(matches!(error, Error::Corrupt { .. }), "{error:?}"),
        }
        fs::write(&file, content).expect("a file to mend");
    }
    let terms =
        files(folder.path()).into_iter().find(|file| file.extension().is_some_and(|ext| ext == "term"));
    fs::write(terms.expect("a term file"), "no").expect("a file to damage");
    let keep = WriterOptions { overwrite: false, ..OPTIONS };
    assert!(IndexWriter::create(folder.path(), Analyzer::ENGLISH, keep).is_err());
    fs::write(folder.path().join("notes.txt"), "mine").expect("a file of someone else");
    index(folder.path());
    assert!(folder.path().join("notes.txt").exists());
}

/// Corrects the checksum at the end of a file, which is in a JSON footer before its length and a magic number.
fn sealed(mut content: Vec<u8>) -> Vec<u8> {
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
fn merging_crafted_segments_gives_an_index_or_names_the_damage() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    index(folder.path());
    let all = files(folder.path());
    let mut damaged = 0;
    for file in all.iter().filter(|file| is_segment_file(file)) {
        let content = fs::read(file).expect("a file");
        assert_eq!(sealed(content.clone()), content, "{}", file.display());
        let length = content[content.len() - 8..content.len() - 4].try_into().expect("four bytes");
        let body = content.len() - 8 - u32::from_le_bytes(length) as usize;
        for at in (0..body).step_by((body / 12).max(1)) {
            let mut content = content.clone();
            content[at] ^= 0x41;
            let content = sealed(content);
            let crafted = tempfile::tempdir().expect("a temporary folder");
            for file in &all {
                fs::copy(file, crafted.path().join(file.file_name().expect("a name"))).expect("a copy");
            }
            fs::write(crafted.path().join(file.file_name().expect("a name")), content)
                .expect("a file to craft");
            let merged = IndexWriter::open(crafted.path(), OPTIONS).and_then(|mut writer| writer.merge());
            match merged {
                Ok(()) | Err(Error::Version { .. } | Error::MissingPassages { .. }) => {}
                Err(Error::Corrupt { .. }) => damaged += 1,
                Err(error) => panic!("{} at {at}: {error:?}", file.display()),
            }
        }
    }
    assert!(damaged > 20, "{damaged}");
}

#[test]
fn another_version_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    index(folder.path());
    let meta = folder.path().join("meta.json");
    let text = fs::read_to_string(&meta).expect("a commit");
    fs::write(&meta, text.replace(r#"\"version\":2"#, r#"\"version\":9"#)).expect("a commit to change");
    match Bm25Index::open(folder.path()) {
        Err(Error::Version { expected: 2, got, .. }) => assert_eq!(got, "version 9"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_killed_removal_leaves_is_in_nobodys_way() {
    let source = tempfile::tempdir().expect("a temporary folder");
    index(source.path());
    let all = files(source.path());
    let keep = WriterOptions { overwrite: false, ..OPTIONS };
    // meta.json goes first, then segments, .managed.json last; it may be damaged, too.
    for left in (0..all.len()).step_by(3) {
        for managed in [fs::read(source.path().join(".managed.json")).expect("a list"), b"[\"a".to_vec()] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            for file in all.iter().filter(|file| is_segment_file(file)).take(left) {
                fs::copy(file, folder.path().join(file.file_name().expect("a name"))).expect("a copy");
            }
            fs::write(folder.path().join(".managed.json"), &managed).expect("a file");
            assert!(matches!(
                Bm25Index::open(folder.path()),
                Err(Error::NotAnIndex { .. } | Error::Corrupt { .. })
            ));
            let mut writer =
                IndexWriter::create(folder.path(), Analyzer::ENGLISH, keep).expect("room for an index");
            writer.add("a", None, "common").expect("a new id");
            writer.commit().expect("a commit");
            assert_eq!(Bm25Index::open(folder.path()).expect("an intact index").len(), 1);
            let terms = files(folder.path())
                .into_iter()
                .filter(|file| file.extension().is_some_and(|ext| ext == "term"));
            assert_eq!(terms.count(), 1, "nothing of the old index is left");
        }
    }
}
