//! Writes files of questions.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::output::Output;
use crate::Error;
use crate::error::quoted;
use crate::read::QuestionFormat;
use crate::tsv::push_row;
use crate::types::Question;

/// Writes questions one by one. [`finish`](Self::finish) replaces the target file; a writer that is dropped unfinished
/// leaves the old file unchanged. The path `-` means standard output.
#[derive(Debug)]
pub struct QuestionWriter {
    output: Output,
    format: QuestionFormat,
    /// The line that is being written; reused for the next one.
    line: String,
}

impl QuestionWriter {
    /// Creates a writer whose file will replace `path`, in the format [`QuestionFormat::Tsv`],
    /// [`Beir`](QuestionFormat::Beir), [`DprCsv`](QuestionFormat::DprCsv) or [`DprJsonl`](QuestionFormat::DprJsonl).
    /// Only `DprJsonl` stores all fields: `Tsv` and `Beir` omit answers, contexts and positives, and `DprCsv` omits
    /// ids, contexts and positives.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for any other format; [`Error::Storage`] if no file can be created in the folder of `path`.
    pub fn create(path: impl AsRef<Path>, format: QuestionFormat) -> Result<Self, Error> {
        use QuestionFormat::{Beir, DprCsv, DprJsonl, Tsv};
        if !matches!(format, Tsv | Beir | DprCsv | DprJsonl) {
            let expected = "tsv, beir, dpr-csv or dpr-jsonl";
            return Err(Error::argument("format to write questions in", expected, format.to_string()));
        }
        Ok(Self { output: Output::create(path.as_ref(), &Arc::default())?, format, line: String::new() })
    }

    /// Appends a question.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for an empty id and, in the format `Tsv`, for an id or a text that is blank or contains a
    /// tab or a line break; [`Error::Io`] if writing fails.
    pub fn push(&mut self, question: &Question) -> Result<(), Error> {
        let Question { id, text, answers, .. } = question;
        if id.is_empty() {
            return Err(Error::argument("question", "an id", format!("none for the text {}", quoted(text))));
        }
        self.line.clear();
        match self.format {
            QuestionFormat::Tsv => {
                for value in [id, text] {
                    if value.trim().is_empty() || value.contains(['\t', '\n', '\r']) {
                        let expected = "an id and a text that are not blank and have no tabs or line breaks";
                        return Err(Error::argument("question", expected, quoted(value)));
                    }
                }
                self.line.push_str(id);
                self.line.push('\t');
                self.line.push_str(text);
            }
            QuestionFormat::Beir => self.line.push_str(&json!({"_id": id, "text": text}).to_string()),
            // A JSON list of strings is also a Python list.
            QuestionFormat::DprCsv => push_row(&mut self.line, &[text, &json!(answers).to_string()]),
            _ => {
                let json = serde_json::to_string(question).expect("all keys of a question are strings");
                self.line.push_str(&json);
            }
        }
        self.line.push('\n');
        self.output.push(self.line.as_bytes())
    }

    /// Completes the file and replaces the target file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] or [`Error::Storage`] if writing fails; the old file is then unchanged.
    pub fn finish(self) -> Result<(), Error> {
        self.output.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Passage, ReadOptions, open_questions};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn questions_are_read_back_with_the_fields_that_their_format_stores(
            questions in prop::collection::vec(("[a-z]{1,5}", "[ a\t\"'\n\\\\é]{0,8}", prop::collection::vec(any::<String>(), 0..3)), 1..6),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("questions");
            let question = |(id, text, answers)| {
                let context = Some(Passage { id: String::new(), title: None, text: "c".to_owned() });
                Question { id, text, answers, context, positives: vec!["p".to_owned()] }
            };
            let questions: Vec<Question> = questions.into_iter().map(question).collect();
            for format in [QuestionFormat::Beir, QuestionFormat::DprCsv, QuestionFormat::DprJsonl] {
                let mut writer = QuestionWriter::create(&path, format).expect("writable");
                questions.iter().try_for_each(|question| writer.push(question)).expect("valid");
                writer.finish().expect("writable");
                let is_jsonl = format == QuestionFormat::DprJsonl;
                let gold_field = is_jsonl.then(|| "positives".to_owned());
                let options = ReadOptions { gold_field, ..ReadOptions::default() };
                let reader = open_questions(&path, format, &options).expect("readable");
                let found = reader.collect::<Result<Vec<_>, _>>().expect("valid");
                let expected: Vec<Question> = (0..).zip(&questions).map(|(row, question): (u32, _)| {
                    let Question { id, text, answers, context, positives } = question.clone();
                    match format {
                        QuestionFormat::Beir => Question { id, text, ..Question::default() },
                        QuestionFormat::DprCsv => Question { id: row.to_string(), text, answers, ..Question::default() },
                        _ => Question { id, text, answers, context, positives },
                    }
                }).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn values_that_a_format_cannot_store_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("questions");
        let mut writer = QuestionWriter::create(&path, QuestionFormat::Tsv).expect("writable");
        let question = |text: &str| Question { id: "1".into(), text: text.into(), ..Question::default() };
        writer.push(&question("\"what\" is it?")).expect("valid");
        assert!(writer.push(&question("two\tcolumns")).is_err());
        writer.finish().expect("writable");
        assert_eq!(std::fs::read_to_string(&path).expect("present"), "1\t\"what\" is it?\n");
        let error =
            QuestionWriter::create(&path, QuestionFormat::Squad).expect_err("not written").to_string();
        assert_eq!(
            error,
            "format to write questions in: expected tsv, beir, dpr-csv or dpr-jsonl, got squad"
        );
    }
}
