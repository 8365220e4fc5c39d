//! Documents and passages that exceed their limits are refused or skipped, in bounded time.

#[path = "common/input.rs"]
mod input;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use corpus::{PassageFormat, QuestionFormat, ReadOptions, SplitOptions, open_questions, read_run_cancelable};
use input::{LongRecordFile, files_with_long_record, ids};

/// Creates a file with this content in a temporary folder. The folder is removed when the returned guard is dropped.
fn file(name: &str, content: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("writable");
    (folder, path)
}

/// Options with limits of 2000 bytes for documents and 1000 bytes for passages.
fn low_limits(skip_bad_lines: bool) -> ReadOptions {
    ReadOptions {
        max_document_bytes: 2000,
        max_passage_bytes: 1000,
        skip_bad_lines,
        ..ReadOptions::default()
    }
}

#[test]
fn a_document_beyond_the_limit_is_refused_with_its_line_or_skipped_in_every_format() {
    // The second length exceeds the size of the read buffer, so the rest of the document is skipped in several pieces.
    for long_bytes in [3000, 3_000_000] {
        for LongRecordFile { format, content, short_ids, long_line } in files_with_long_record(long_bytes) {
            let (_folder, path) = file("corpus", content.as_bytes());
            let error = ids(&path, format, &low_limits(false)).expect_err("refused");
            let expected = format!(
                "{}:{long_line}: expected a document of at most 2000 bytes, got a longer one; raise maxDocumentBytes if it is valid",
                path.display()
            );
            assert_eq!(error, expected, "{format}");
            let (found, skipped) = ids(&path, format, &low_limits(true)).expect("skipped");
            assert_eq!((found, skipped), (short_ids.map(str::to_owned).to_vec(), 1), "{format}");
        }
    }
}

#[test]
fn a_passage_beyond_the_limit_is_refused_with_its_line_or_skipped_in_every_format() {
    for LongRecordFile { format, content, short_ids, long_line } in files_with_long_record(1400) {
        let (_folder, path) = file("corpus", content.as_bytes());
        let error = ids(&path, format, &low_limits(false)).expect_err("refused");
        assert!(
            error.contains(&format!(":{long_line}: expected a passage of at most 1000 bytes, got ")),
            "{format}: {error}"
        );
        assert!(error.ends_with("; split it or raise maxPassageBytes"), "{format}: {error}");
        let (found, skipped) = ids(&path, format, &low_limits(true)).expect("skipped");
        assert_eq!((found, skipped), (short_ids.map(str::to_owned).to_vec(), 1), "{format}");
        // After splitting, each passage is short enough: seven from the 700 words of the long record, and two others.
        let split = ReadOptions {
            split: Some(SplitOptions { words: 100, ..SplitOptions::default() }),
            ..low_limits(false)
        };
        assert_eq!(ids(&path, format, &split).expect("short").0.len(), 9, "{format}");
    }
}

#[test]
fn a_document_of_exactly_the_limit_is_read_and_one_that_is_a_byte_longer_is_refused() {
    // The id and the tab take 2 of the 2000 bytes. The line break does not count.
    let at_limit = format!("1\t{}\n", "x".repeat(1998));
    let beyond_limit = format!("1\t{}\n", "x".repeat(1999));
    let options = ReadOptions { max_passage_bytes: 5000, ..low_limits(false) };
    let (_folder, path) = file("a.tsv", at_limit.as_bytes());
    assert_eq!(ids(&path, PassageFormat::Dpr, &options).expect("fits").0, ["1"]);
    let (_folder, path) = file("a.tsv", beyond_limit.as_bytes());
    assert!(ids(&path, PassageFormat::Dpr, &options).is_err());
}

#[test]
fn a_text_file_beyond_the_limit_is_refused_or_skipped_and_a_long_word_affects_only_its_passage() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "fine").expect("writable");
    std::fs::write(folder.path().join("b.txt"), "word ".repeat(500)).expect("writable");
    std::fs::write(folder.path().join("c.txt"), format!("{} {}", "w ".repeat(100), "x".repeat(1500)))
        .expect("writable");
    let error = ids(folder.path(), PassageFormat::Auto, &low_limits(false)).expect_err("refused");
    assert!(error.contains("b.txt:1: expected a document of at most 2000 bytes"), "{error}");
    // b.txt is skipped, and so is the second passage of c.txt, which is a word of 1500 bytes.
    let (found, skipped) = ids(folder.path(), PassageFormat::Auto, &low_limits(true)).expect("skipped");
    assert_eq!((found, skipped), (vec!["a.txt#0".to_owned(), "c.txt#0".to_owned()], 2));
}

#[test]
fn a_title_beyond_the_limit_counts_as_one_skipped_item_for_all_passages_of_its_document() {
    let content = format!("1\t{}\t{}\n2\tb\tt\n", "w ".repeat(400), "t".repeat(1001));
    let (_folder, path) = file("a.tsv", content.as_bytes());
    let options =
        ReadOptions { split: Some(SplitOptions { words: 1, ..SplitOptions::default() }), ..low_limits(true) };
    let (found, skipped) = ids(&path, PassageFormat::Dpr, &options).expect("skipped");
    assert_eq!((found, skipped), (vec!["2#0".to_owned()], 1));
    let article = format!(
        "{{\"data\": [{{\"title\": \"{}\", \"paragraphs\": [{{\"context\": \"a\"}}, {{\"context\": \"b\"}}]}}]}}",
        "t".repeat(1001)
    );
    let (_folder, path) = file("a.json", article.as_bytes());
    assert_eq!(ids(&path, PassageFormat::Squad, &low_limits(true)).expect("skipped"), (Vec::new(), 1));
}

#[test]
fn questions_beyond_the_limit_are_refused_or_skipped_in_every_format() {
    let text = "x ".repeat(1500);
    for (format, content, line) in [
        (QuestionFormat::Tsv, format!("1\ta\n2\t{text}\n3\tc\n"), 2),
        (QuestionFormat::DprCsv, format!("a?\t['a']\n{text}?\t['b']\nc?\t['c']\n"), 2),
        (
            QuestionFormat::Beir,
            format!(
                "{{\"_id\":\"1\",\"text\":\"a\"}}\n{{\"_id\":\"2\",\"text\":\"{text}\"}}\n{{\"_id\":\"3\",\"text\":\"c\"}}"
            ),
            2,
        ),
        (
            QuestionFormat::DprJson,
            format!("[{{\"question\":\"a\"}},\n{{\"question\":\"{text}\"}},\n{{\"question\":\"c\"}}]"),
            2,
        ),
        // A title of many short lines, which together exceed the limit.
        (
            QuestionFormat::Trec,
            format!(
                "<top>\n<num>1\n<title>a\n</top>\n<top>\n<num>2\n<title>\n{}</top>\n<top><num>3<title>c</top>",
                "word\n".repeat(500)
            ),
            5,
        ),
    ] {
        let (_folder, path) = file("questions", content.as_bytes());
        let read = |skip| {
            let mut reader = open_questions(&path, format, &low_limits(skip)).expect("readable");
            (
                reader.by_ref().collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string()),
                reader.skipped(),
            )
        };
        let error = read(false).0.expect_err("refused");
        // In error messages, a document is the part of a file that a reader keeps in memory, here one line, table row,
        // JSON item or topic.
        assert!(
            error.contains(&format!(":{line}: expected a document of at most 2000 bytes")),
            "{format}: {error}"
        );
        let (questions, skipped) = read(true);
        assert_eq!((questions.expect("skipped").len(), skipped), (2, 1), "{format}");
    }
}

#[test]
fn deep_nesting_is_refused_or_ignored_without_recursion() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let content = format!(
        "{{\"_id\":\"1\",\"text\":\"a\",\"extra\":{deep}}}\n{{\"_id\":\"2\",\"text\":{deep}}}\n{{\"_id\":\"3\",\"text\":\"c\"}}\n"
    );
    let (_folder, path) = file("deep.jsonl", content.as_bytes());
    let options = ReadOptions { skip_bad_lines: true, ..ReadOptions::default() };
    let (found, skipped) = ids(&path, PassageFormat::Beir, &options).expect("skipped");
    assert_eq!((found, skipped), (vec!["1".to_owned(), "3".to_owned()], 1));
}

#[test]
fn a_row_of_millions_of_fields_and_a_line_of_millions_of_start_tags_take_linear_time() {
    let started = Instant::now();
    let (_folder, path) = file("a.tsv", ["1\ta\n", &"\t".repeat(8 << 20), "x\n2\tb\n"].concat().as_bytes());
    let options = ReadOptions { skip_bad_lines: true, ..ReadOptions::default() };
    assert_eq!(ids(&path, PassageFormat::Dpr, &options).expect("skipped"), (vec!["1".into(), "2".into()], 1));
    let topics = ["<top>\n<num>1\n<title>", &"<".repeat(4 << 20), "\n</top>"].concat();
    let (_folder, path) = file("topics", topics.as_bytes());
    let questions: Vec<_> =
        open_questions(&path, QuestionFormat::Trec, &ReadOptions::default()).expect("readable").collect();
    assert_eq!(questions.len(), 1);
    let start_tags = "<top>".repeat(1 << 20);
    let (_folder, path) = file("topics", start_tags.as_bytes());
    let error =
        open_questions(&path, QuestionFormat::Trec, &options).expect("readable").find_map(Result::err);
    assert!(error.is_none(), "not skipped: {error:?}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn error_messages_are_short_even_if_they_quote_long_input() {
    let answers = format!("{{\"question\": \"a\", \"answers\": {{\"{}\": 1}}}}\n", "k".repeat(1 << 20));
    let (_folder, path) = file("a.jsonl", answers.as_bytes());
    let error = open_questions(&path, QuestionFormat::DprJsonl, &ReadOptions::default())
        .expect("readable")
        .find_map(Result::err);
    assert!(error.expect("refused").to_string().len() < 2000);
    let run = format!("1 Q0 {id} 1 1 t\n1 Q0 {id} 2 1 t\n", id = "d".repeat(1 << 20));
    let (_folder, path) = file("run", run.as_bytes());
    assert!(
        read_run_cancelable(&path, Arc::default()).expect_err("a passage occurs twice").to_string().len()
            < 2000
    );
}

#[test]
fn more_answers_than_the_limit_are_refused() {
    let content = format!("{{\"question\": \"a\", \"answers\": [{}1]}}\n", "1,".repeat(1 << 17));
    let (_folder, path) = file("a.jsonl", content.as_bytes());
    let error = open_questions(&path, QuestionFormat::DprJsonl, &ReadOptions::default())
        .expect("readable")
        .find_map(Result::err);
    let error = error.expect("refused").to_string();
    assert!(error.contains("more than 65536 answers"), "{error}");
}

#[cfg(unix)]
#[test]
fn reading_an_endless_device_ends_at_the_limit() {
    let error =
        ids(Path::new("/dev/zero"), PassageFormat::Dpr, &ReadOptions::default()).expect_err("refused");
    assert!(error.starts_with("/dev/zero:1: expected a document of at most 64 MiB"), "{error}");
    assert_eq!(
        ids(Path::new("/dev/null"), PassageFormat::Dpr, &ReadOptions::default()).expect("empty").0.len(),
        0
    );
}
