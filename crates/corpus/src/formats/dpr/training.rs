//! Reads DPR's training files: questions with positive and negative passages.

use std::path::Path;

use serde::Deserialize;

use crate::Error;
use crate::json::{Answers, Context, JsonRecords, Text};
use crate::types::Passage;

/// A question with its training passages, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrainingExample {
    /// The question.
    pub question: String,
    /// Accepted answers.
    pub answers: Vec<String>,
    /// Passages that answer the question. Their ids are empty if the file has none.
    pub positives: Vec<Passage>,
    /// Passages that do not answer the question although a retriever ranked them highly.
    pub hard_negatives: Vec<Passage>,
    /// Other passages that do not answer the question.
    pub negatives: Vec<Passage>,
}

/// Iterator over training examples in a JSON array or in JSON lines, plain or gzip. Ends after the first error that it
/// returns; invalid examples that are skipped do not end it.
pub struct TrainingReader {
    records: JsonRecords,
    skip_bad_lines: bool,
    skipped: u64,
    has_ended: bool,
}

/// Opens a training file of DPR: JSON objects with `question`, `answers`, `positive_ctxs`, `hard_negative_ctxs` and
/// `negative_ctxs`, of which only `question` and `positive_ctxs` are required. With `skip_bad_lines`, invalid examples
/// are skipped and counted.
///
/// # Errors
///
/// [`Error::Io`] or [`Error::Gzip`] if the file cannot be read.
pub fn open_training(path: impl AsRef<Path>, skip_bad_lines: bool) -> Result<TrainingReader, Error> {
    let records = JsonRecords::open(path.as_ref())?;
    Ok(TrainingReader { records, skip_bad_lines, skipped: 0, has_ended: false })
}

/// The JSON object of a training example.
#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow)]
    question: Text<'a>,
    answers: Option<Answers>,
    #[serde(borrow)]
    positive_ctxs: Vec<Context<'a>>,
    #[serde(borrow, default)]
    hard_negative_ctxs: Vec<Context<'a>>,
    #[serde(borrow, default)]
    negative_ctxs: Vec<Context<'a>>,
}

impl TrainingReader {
    /// Number of invalid examples that have been skipped so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    fn read(&mut self) -> Result<Option<TrainingExample>, Error> {
        if !self.records.advance()? {
            return Ok(None);
        }
        let object: Object = self.records.parse("a JSON object with \"question\" and \"positive_ctxs\"")?;
        let passages = |contexts: Vec<Context>| contexts.into_iter().map(Context::into_passage).collect();
        Ok(Some(TrainingExample {
            question: object.question.0.into_owned(),
            answers: object.answers.unwrap_or_default().0,
            positives: passages(object.positive_ctxs),
            hard_negatives: passages(object.hard_negative_ctxs),
            negatives: passages(object.negative_ctxs),
        }))
    }
}

impl Iterator for TrainingReader {
    type Item = Result<TrainingExample, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.has_ended {
            match self.read() {
                Ok(Some(example)) => return Some(Ok(example)),
                Err(Error::Line { .. }) if self.skip_bad_lines => self.skipped += 1,
                other => {
                    self.has_ended = true;
                    return other.transpose();
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positives_hard_negatives_and_negatives_are_read() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let content = r#"[{"dataset": "x", "question": "who?", "answers": ["a"],
            "positive_ctxs": [{"title": "T", "text": "p", "passage_id": "1"}],
            "negative_ctxs": [{"title": "", "text": "n"}],
            "hard_negative_ctxs": [{"title": "U", "text": "h", "psg_id": 2, "score": 12.5}]},
            {"question": "no positives"},
            {"question": "what?", "answers": [], "positive_ctxs": []}]"#;
        std::fs::write(file.path(), content).expect("writable");
        let mut reader = open_training(file.path(), true).expect("readable");
        let first = reader.next().expect("present").expect("valid");
        let passage = |id: &str, title: Option<&str>, text: &str| Passage {
            id: id.to_owned(),
            title: title.map(str::to_owned),
            text: text.to_owned(),
        };
        assert_eq!(first.positives, [passage("1", Some("T"), "p")]);
        assert_eq!(first.hard_negatives, [passage("2", Some("U"), "h")]);
        assert_eq!(first.negatives, [passage("", None, "n")]);
        assert_eq!(reader.next().expect("present").expect("valid").question, "what?");
        assert!(reader.next().is_none());
        assert_eq!(reader.skipped(), 1);
    }
}
