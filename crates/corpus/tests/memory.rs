//! Readers of malicious files take memory in proportion to the limit on documents, not to the length of the file. This
//! source file has only one test, because the test measures the peak memory of the whole process.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::path::Path;

use corpus::{PassageFormat, QuestionFormat, ReadOptions, SplitOptions, open_passages, open_questions};

/// Returns the result of `work` and the number of bytes by which it increases the peak memory of the process.
fn with_peak_memory<T>(work: impl FnOnce() -> T) -> (T, usize) {
    // Resets the peak to the memory in use now: see proc_pid_clear_refs(5).
    std::fs::write("/proc/self/clear_refs", "5").expect("writable");
    let before = peak_memory();
    let result = work();
    (result, peak_memory() - before)
}

/// The peak memory of this process in bytes (`VmHWM`, the "high-water mark" of resident memory).
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("readable");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux has it");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") << 10
}

/// Writes a gzip file that expands to `start`, `length` bytes of repetitions of `chunk`, and `end`.
fn write_gzip(path: &Path, start: &str, chunk: &str, length: usize, end: &str) {
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
fn memory_is_bounded_by_the_limits_and_not_by_the_size_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    // A document far above the limit is discarded while it is read: a document of 256 MiB, with a limit of 4 MiB, takes
    // less than 16 MiB.
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
        write_gzip(&path, start, "x ", 256 << 20, end);
        let options =
            ReadOptions { max_document_bytes: 4 << 20, skip_bad_lines: true, ..ReadOptions::default() };
        let ((found, skipped), growth) = with_peak_memory(|| {
            let mut reader = open_passages(&path, format, &options).expect("readable");
            (
                reader.by_ref().inspect(|passage| assert!(passage.is_ok(), "{passage:?}")).count(),
                reader.skipped(),
            )
        });
        assert_eq!((found, skipped), (usize::from(format != PassageFormat::Text), 1), "{name}");
        assert!(growth < 16 << 20, "{name}: {growth} bytes more");
    }

    // Documents below the limit of 17 MiB, most of them just below it, take less than five times the limit, whatever
    // they contain. In the cases of titles and contexts, hundreds of items share a string of 1 MiB.
    let repeats = |item: &str| item.repeat((16 << 20) / item.len());
    let options = |split| ReadOptions {
        max_document_bytes: 17 << 20,
        max_passage_bytes: 17 << 20,
        skip_bad_lines: true,
        split,
        ..ReadOptions::default()
    };
    let into_words = Some(SplitOptions { words: 1, ..SplitOptions::default() });
    let title = "t".repeat(1 << 20);
    for (what, format, split, content) in [
        ("fields", PassageFormat::Dpr, None, ["1\ta\n", &repeats("\t")].concat()),
        ("words", PassageFormat::Dpr, into_words, ["1\t", &repeats("a ")].concat()),
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
        let (count, growth) = with_peak_memory(|| {
            let reader = open_passages(&path, format, &options(split)).expect("readable");
            reader.inspect(|passage| assert!(passage.is_ok(), "{what}")).count()
        });
        assert!(count > 0, "{what}");
        assert!(growth < 5 * (17 << 20), "{what}: {growth} bytes more");
    }
    for (what, format, content) in [
        ("contexts", QuestionFormat::Squad, {
            let entries = "{\"id\":\"i\",\"question\":\"q\"},".repeat(300);
            let context = "c".repeat(1 << 20);
            format!(
                "{{\"data\":[{{\"title\":\"t\",\"paragraphs\":[{{\"context\":\"{context}\",\"qas\":[{entries}{{\"id\":\"i\",\"question\":\"q\"}}]}}]}}]}}"
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
        let (_, growth) =
            with_peak_memory(|| open_questions(&path, format, &options(None)).expect("readable").count());
        assert!(growth < 5 * (17 << 20), "{what}: {growth} bytes more");
    }
}
