//! Inputs of every format, and what a reader makes of them.

use std::path::Path;

use corpus::{PassageFormat, ReadOptions, open_passages};

/// The ids that were read and the number of skipped bad lines, or the error.
pub fn ids(path: &Path, format: PassageFormat, options: &ReadOptions) -> Result<(Vec<String>, u64), String> {
    let mut reader = open_passages(path, format, options).map_err(|error| error.to_string())?;
    let ids: Result<Vec<_>, _> = reader.by_ref().map(|passage| passage.map(|passage| passage.id)).collect();
    ids.map(|ids| (ids, reader.skipped())).map_err(|error| error.to_string())
}

/// A file with a good record, a long one and another good one.
pub struct LongRecordFile {
    pub format: PassageFormat,
    pub content: String,
    pub good_ids: [&'static str; 2],
    /// Line number of the long record.
    pub long_line: u64,
}

/// Files in each format whose long record has `long` bytes.
pub fn with_long_record(long: usize) -> Vec<LongRecordFile> {
    let text = "x ".repeat(long / 2);
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
        .map(|(format, content, good_ids, long_line)| LongRecordFile { format, content, good_ids, long_line })
        .collect()
}
