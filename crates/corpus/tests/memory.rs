//! For hostile files, memory is bounded by the document limit and not by the file's length. This file has only one
//! test, because it measures the peak memory of the whole process.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::path::Path;

use corpus::{PassageFormat, QuestionFormat, ReadOptions, SplitOptions, open_passages, open_questions};

/// The result of `work`, and by how many bytes it increases the peak memory of the process.
fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    // Resets the peak to the memory in use now: see proc_pid_clear_refs(5).
    std::fs::write("/proc/self/clear_refs", "5").expect("writable");
    let before = peak();
    let result = work();
    (result, peak() - before)
}

fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("readable");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux has it");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") << 10
}

fn gzip(path: &Path, start: &str, chunk: &str, length: usize, end: &str) {
    let file = std::fs::File::create(path).expect("writable");
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    encoder.write_all(start.as_bytes()).expect("writable");
    let chunk = chunk.repeat((1 << 20) / chunk.len());
    for _ in 0..length / chunk.len() {
        encoder.write_all(chunk.as_bytes()).expect("writable");
    }
    encoder.write_all(end.as_bytes()).expect("writable");
    encoder.finish().expect("writable");
}

#[test]
fn memory_is_bounded_by_the_limits_whatever_a_file_expands_to() {
    let folder = tempfile::tempdir().expect("a folder");
    // A document far above the limit is discarded while it is read.
    for (name, format, start, end) in [
        (
            "bomb.jsonl",
            PassageFormat::Beir,
            "{\"_id\":\"1\",\"text\":\"",
            "\"}\n{\"_id\":\"2\",\"text\":\"b\"}\n",
        ),
        ("bomb.tsv", PassageFormat::Dpr, "1\t", "\n2\tb\n"),
        (
            "bomb.json",
            PassageFormat::Squad,
            "{\"data\":[{\"title\":\"1\",\"paragraphs\":[{\"context\":\"",
            "\"}]},{\"title\":\"2\",\"paragraphs\":[{\"context\":\"b\"}]}]}",
        ),
        ("bomb.txt", PassageFormat::Text, "", ""),
    ] {
        let path = folder.path().join(name);
        gzip(&path, start, "x ", 256 << 20, end);
        let options =
            ReadOptions { max_document_bytes: 4 << 20, skip_bad_lines: true, ..ReadOptions::default() };
        let ((found, skipped), grown) = peak_of(|| {
            let mut reader = open_passages(&path, format, &options).expect("readable");
            (
                reader.by_ref().inspect(|passage| assert!(passage.is_ok(), "{passage:?}")).count(),
                reader.skipped(),
            )
        });
        assert_eq!((found, skipped), (usize::from(format != PassageFormat::Text), 1), "{name}");
        assert!(grown < 16 << 20, "{name}: {grown} bytes more");
    }

    // Documents just below the limit need a small multiple of it, whatever they contain.
    let repeats = |item: &str| item.repeat((16 << 20) / item.len());
    let options = |words| ReadOptions {
        max_document_bytes: 17 << 20,
        max_passage_bytes: 17 << 20,
        skip_bad_lines: true,
        split: words,
        ..ReadOptions::default()
    };
    let word = Some(SplitOptions { words: 1, ..SplitOptions::default() });
    let title = "t".repeat(1 << 20);
    for (what, format, words, content) in [
        ("fields", PassageFormat::Dpr, None, ["1\ta\n", &repeats("\t")].concat()),
        ("words", PassageFormat::Dpr, word, ["1\t", &repeats("a ")].concat()),
        ("escapes", PassageFormat::Beir, None, ["{\"_id\":1,\"text\":\"", &repeats("\\n"), "\"}"].concat()),
        (
            "titles",
            PassageFormat::Squad,
            None,
            [
                "{\"data\":[{\"title\":\"",
                &title,
                "\",\"paragraphs\":[",
                &"{\"context\":\"\"},".repeat(300),
                "{\"context\":\"\"}]}]}",
            ]
            .concat(),
        ),
    ] {
        let path = folder.path().join("corpus");
        std::fs::write(&path, content).expect("writable");
        let (count, grown) = peak_of(|| {
            let reader = open_passages(&path, format, &options(words)).expect("readable");
            reader.inspect(|passage| assert!(passage.is_ok(), "{what}")).count()
        });
        assert!(count > 0, "{what}");
        assert!(grown < 5 * (17 << 20), "{what}: {grown} bytes more");
    }
    for (what, format, content) in [
        ("contexts", QuestionFormat::Squad, {
            let asked = "{\"id\":\"i\",\"question\":\"q\"},".repeat(300);
            let context = "c".repeat(1 << 20);
            format!(
                "{{\"data\":[{{\"title\":\"t\",\"paragraphs\":[{{\"context\":\"{context}\",\"qas\":[{asked}{{\"id\":\"i\",\"question\":\"q\"}}]}}]}}]}}"
            )
        }),
        (
            "answers",
            QuestionFormat::DprJsonl,
            ["{\"question\":\"q\",\"answers\":[", &repeats("1,"), "1]}"].concat(),
        ),
        (
            "training passages",
            QuestionFormat::DprJsonl,
            ["{\"question\":\"q\",\"positive_ctxs\":[", &repeats("{\"text\":\"\"},"), "{\"text\":\"\"}]}"]
                .concat(),
        ),
        ("topics", QuestionFormat::Trec, repeats("<top>")),
    ] {
        let path = folder.path().join("questions");
        std::fs::write(&path, content).expect("writable");
        let (_, grown) = peak_of(|| open_questions(&path, format, &options(None)).expect("readable").count());
        assert!(grown < 5 * (17 << 20), "{what}: {grown} bytes more");
    }
}
