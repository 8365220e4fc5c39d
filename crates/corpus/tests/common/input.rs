//! Files of passages in several formats with one long record, and a function that reads the ids of a file.

use std::path::Path;

use corpus::{PassageFormat, ReadOptions, open_passages};

/// Returns the ids of the passages of a file and the number of skipped lines, or the error message.
pub fn ids(path: &Path, format: PassageFormat, options: &ReadOptions) -> Result<(Vec<String>, u64), String> {
    let mut reader = open_passages(path, format, options).map_err(|error| error.to_string())?;
    let ids: Result<Vec<_>, _> = reader.by_ref().map(|passage| passage.map(|passage| passage.id)).collect();
    ids.map(|ids| (ids, reader.skipped())).map_err(|error| error.to_string())
}

/// A file of three records (lines, table rows or JSON items, each with one passage): a short one, a long one and
/// another short one.
pub struct LongRecordFile {
    pub format: PassageFormat,
    pub content: String,
    /// Ids of the passages of the two short records.
    pub short_ids: [&'static str; 2],
    /// Line number of the long record.
    pub long_line: u64,
}

/// Returns a file for each format except plain text. The text of the long record has about `long_bytes` bytes.
pub fn files_with_long_record(long_bytes: usize) -> Vec<LongRecordFile> {
    let text = "x ".repeat(long_bytes / 2);
    let files = [
        (PassageFormat::Dpr, format!("1\ta\tt\n2\t{text}\tt\n3\tc\tt\n"), ["1", "3"], 2),
        (
            PassageFormat::Beir,
            format!(
                "{{\"_id\":\"1\",\"text\":\"a\"}}\n\n{{\"_id\":\"2\",\"text\":\"{text}\"}}\n{{\"_id\":\"3\",\"text\":\"c\"}}"
            ),
            ["1", "3"],
            3,
        ),
        (
            PassageFormat::Anserini,
            format!(
                "{{\"id\":1,\"contents\":\"a\"}}\n{{\"id\":2,\"contents\":\"{text}\"}}\n{{\"id\":3,\"contents\":\"c\"}}"
            ),
            ["1", "3"],
            2,
        ),
        (
            PassageFormat::Squad,
            format!(
                "{{\"version\": \"{text}\", \"data\": [\n{{\"title\":\"A\",\"paragraphs\":[{{\"context\":\"a\"}}]}},\n\
                 {{\"title\":\"B\",\"paragraphs\":[{{\"context\":\"{text}\"}}]}},\n\
                 {{\"title\":\"C\",\"paragraphs\":[{{\"context\":\"c\"}}]}}]}}"
            ),
            ["A#0", "C#0"],
            3,
        ),
        (
            PassageFormat::PubmedQa,
            format!(
                "{{\"1\":{{\"QUESTION\":\"q\",\"CONTEXTS\":[\"a\"]}},\n\"2\":{{\"QUESTION\":\"q\",\"CONTEXTS\":[\"\\\"{text}\"]}},\n\
                 \"3\":{{\"QUESTION\":\"q\",\"CONTEXTS\":[\"c\"]}}}}"
            ),
            ["1", "3"],
            2,
        ),
    ];
    files
        .into_iter()
        .map(|(format, content, short_ids, long_line)| LongRecordFile {
            format,
            content,
            short_ids,
            long_line,
        })
        .collect()
}
