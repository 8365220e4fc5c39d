//! Folders of text and Markdown files are read as passages.

use std::path::Path;

use corpus::{Error, Passage, PassageFormat, ReadOptions, SplitOptions, open_passages};

/// Creates a temporary folder with these files, given as pairs of relative path and content.
fn folder_of(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
        std::fs::write(path, content).expect("writable");
    }
    folder
}

/// Reads all passages of a file or folder.
fn read(path: &Path, options: &ReadOptions) -> Result<Vec<Passage>, Error> {
    open_passages(path, PassageFormat::Auto, options)?.collect()
}

#[test]
fn a_folder_is_read_in_path_order_with_titles_and_with_ids_valid_in_trec_files() -> Result<(), Error> {
    let words: String = (0..150).map(|number| format!("w{number} ")).collect();
    let folder = folder_of(&[
        ("notes/my file.md", b"# Heading\r\n\r\nOne two.\n"),
        ("a.txt", words.as_bytes()),
        ("empty.txt", b" \n"),
        ("picture.png", b"\x89PNG\0"),
        ("z.MARKDOWN", b"\xef\xbb\xbfno heading"),
    ]);
    let found = read(folder.path(), &ReadOptions::default())?;
    let summary: Vec<_> = found
        .iter()
        .map(|passage| {
            (passage.id.as_str(), passage.title.as_deref(), passage.text.split_whitespace().count())
        })
        .collect();
    assert_eq!(
        summary,
        [
            ("a.txt#0", Some("a"), 100),
            ("a.txt#1", Some("a"), 50),
            ("notes/my%20file.md#0", Some("Heading"), 2),
            ("z.MARKDOWN#0", Some("z"), 2),
        ]
    );
    assert_eq!(found[3].text, "no heading");
    Ok(())
}

#[test]
fn a_single_file_gets_its_name_as_id_and_is_split_as_the_options_say() -> Result<(), Error> {
    let folder = folder_of(&[("a b.txt", b"one two three four five")]);
    let options = ReadOptions {
        split: Some(SplitOptions { words: 3, overlap: 1, wrap: false }),
        ..ReadOptions::default()
    };
    let found = read(&folder.path().join("a b.txt"), &options)?;
    let texts: Vec<_> = found.iter().map(|passage| (passage.id.as_str(), passage.text.as_str())).collect();
    assert_eq!(texts, [("a%20b.txt#0", "one two three"), ("a%20b.txt#1", "three four five")]);
    Ok(())
}

#[test]
fn a_file_that_is_not_utf8_is_refused_or_skipped_and_the_others_are_read() {
    let folder = folder_of(&[("a.txt", b"fine"), ("b.txt", b"one\nbad \xff\n"), ("c.txt", b"fine too")]);
    let error = read(folder.path(), &ReadOptions::default()).expect_err("b.txt is bad").to_string();
    assert!(error.ends_with("b.txt:2: expected UTF-8 text, got the byte 0xff"), "{error}");
    let options = ReadOptions { skip_bad_lines: true, ..ReadOptions::default() };
    let mut reader = open_passages(folder.path(), PassageFormat::Text, &options).expect("readable");
    let ids: Vec<_> = reader.by_ref().map(|passage| passage.expect("valid").id).collect();
    assert_eq!((ids, reader.skipped()), (vec!["a.txt#0".to_owned(), "c.txt#0".to_owned()], 1));
    assert_eq!(reader.bytes_read(), reader.bytes_total());
}

#[test]
fn missing_paths_other_formats_and_invalid_options_are_refused_when_opened() {
    let folder = folder_of(&[("a.txt", b"fine")]);
    let open = |path: &Path, format, words| {
        let options = ReadOptions {
            split: Some(SplitOptions { words, ..SplitOptions::default() }),
            ..ReadOptions::default()
        };
        open_passages(path, format, &options).map(|_| ())
    };
    assert!(matches!(open(&folder.path().join("none"), PassageFormat::Auto, 1), Err(Error::Io { .. })));
    assert!(matches!(open(folder.path(), PassageFormat::Dpr, 1), Err(Error::Format { .. })));
    assert!(matches!(open(folder.path(), PassageFormat::Text, 0), Err(Error::Text(_))));
}

#[cfg(unix)]
#[test]
fn symbolic_links_to_files_are_followed_and_those_to_folders_are_not() -> Result<(), Error> {
    let folder = folder_of(&[("a/b.txt", b"text")]);
    std::os::unix::fs::symlink(folder.path(), folder.path().join("a/circle.md")).expect("a link");
    std::os::unix::fs::symlink(folder.path().join("a/b.txt"), folder.path().join("link.txt"))
        .expect("a link");
    let ids: Vec<_> =
        read(folder.path(), &ReadOptions::default())?.into_iter().map(|passage| passage.id).collect();
    assert_eq!(ids, ["a/b.txt#0", "link.txt#0"]);
    Ok(())
}
