//! Reads training files one example at a time.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use control::Control;

use super::TrainingExample;
use super::object::{ExampleObject, MaxPassages};
use crate::Error;
use crate::input::{BufferedInput, InputOptions, MAX_DOCUMENT_BYTES, Progress, SharedControl};
use crate::json::JsonRecords;

/// Options of [`open_training`].
#[derive(Debug, Clone)]
pub struct TrainingReadOptions {
    /// Whether to skip and count invalid examples instead of failing at the first one.
    pub skip_bad_lines: bool,
    /// Maximum size of the JSON of one example in bytes, after decompression. A longer one counts as invalid. Default:
    /// [`MAX_DOCUMENT_BYTES`].
    pub max_document_bytes: usize,
    /// Maximum number of positive passages that are kept per example, from the start of their list.
    pub max_positives: usize,
    /// Maximum number of hard negatives that are kept per example.
    pub max_hard_negatives: usize,
    /// Maximum number of other negatives that are kept per example.
    pub max_negatives: usize,
    /// Cancels opening and reading, even while they wait for the writer of a FIFO.
    pub control: Arc<Control>,
}

impl Default for TrainingReadOptions {
    fn default() -> Self {
        Self {
            skip_bad_lines: false,
            max_document_bytes: MAX_DOCUMENT_BYTES,
            max_positives: usize::MAX,
            max_hard_negatives: usize::MAX,
            max_negatives: usize::MAX,
            control: Arc::default(),
        }
    }
}

/// Iterator over training examples in a JSON array or in JSON lines, plain or gzip. Only one example at a time is in
/// memory. Ends after the first error that it returns; invalid examples that are skipped do not end it.
pub struct TrainingReader {
    records: JsonRecords,
    progress: Progress,
    max_passages: MaxPassages,
    skip_bad_lines: bool,
    control: SharedControl,
    /// Number of examples that have been read, including invalid ones.
    position: u64,
    skipped: u64,
    has_ended: bool,
}

/// Opens a training file of DPR: JSON objects with `question`, `answers`, `positive_ctxs`, `hard_negative_ctxs` and
/// `negative_ctxs`, of which only `question` and `positive_ctxs` are required.
///
/// # Errors
///
/// [`Error::Io`] or [`Error::Gzip`] if the file cannot be read; [`Error::Canceled`].
pub fn open_training(path: impl AsRef<Path>, options: &TrainingReadOptions) -> Result<TrainingReader, Error> {
    let control = SharedControl::new(Arc::clone(&options.control));
    let input_options =
        InputOptions { max_document_bytes: options.max_document_bytes, control: control.clone() };
    let (input, progress) = BufferedInput::open_with(path.as_ref(), &input_options)?;
    let max_passages = MaxPassages {
        positives: options.max_positives,
        hard_negatives: options.max_hard_negatives,
        negatives: options.max_negatives,
    };
    Ok(TrainingReader {
        records: JsonRecords::new(input)?,
        progress,
        max_passages,
        skip_bad_lines: options.skip_bad_lines,
        control,
        position: 0,
        skipped: 0,
        has_ended: false,
    })
}

impl TrainingReader {
    /// Returns the next examples: up to `count`, but no more once their strings have `bytes` bytes together. Returns an
    /// empty list at the end of the file. `control` cancels this call and all later reads. Its progress is the number
    /// of bytes that have been read from the file so far, in this call and in earlier ones, before decompression.
    ///
    /// # Errors
    ///
    /// [`Error::Line`] for an invalid example, unless they are skipped; [`Error::Format`], [`Error::Io`] or
    /// [`Error::Gzip`] if the rest of the file cannot be read; [`Error::Canceled`]. The examples that this call has
    /// read before an error are lost.
    pub fn next_batch(
        &mut self,
        count: usize,
        bytes: usize,
        control: &Arc<Control>,
    ) -> Result<Vec<TrainingExample>, Error> {
        self.control.replace(Arc::clone(control));
        let (mut batch, mut batch_bytes) = (Vec::new(), 0);
        while batch.len() < count && batch_bytes < bytes {
            control.check()?;
            let Some(example) = self.next() else { break };
            let example = example?;
            batch_bytes += example.bytes();
            batch.push(example);
        }
        control.set_total(self.progress.total);
        control.advance(self.progress.read.load(Ordering::Relaxed));
        Ok(batch)
    }

    /// Number of invalid examples that have been skipped so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    fn read(&mut self) -> Result<Option<TrainingExample>, Error> {
        self.position += 1;
        if !self.records.advance()? {
            return Ok(None);
        }
        // The file may have all examples on one line, so the message also has the position of the example.
        let expected = format!(
            "training example {}: a JSON object with \"question\" and \"positive_ctxs\"",
            self.position
        );
        let object: ExampleObject = self.records.parse(&expected)?;
        Ok(Some(object.into_example(self.max_passages)))
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
    use super::super::TrainingPassage;
    use super::*;

    const CONTENT: &str = r#"[{"dataset": "x", "question": "who?", "answers": ["a"],
        "positive_ctxs": [{"title": "T", "text": "p", "score": 1000, "title_score": 1, "passage_id": "1"}],
        "negative_ctxs": [{"title": "", "text": "n"}, {"text": "o"}],
        "hard_negative_ctxs": [{"title": "U", "text": "h", "psg_id": 2, "score": "12.5"}]},
        {"question": "no positives"},
        {"question": "what?", "answers": [], "positive_ctxs": []}]"#;

    fn file(content: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), content).expect("writable");
        file
    }

    fn passage(id: &str, title: &str, text: &str, score: Option<f64>) -> TrainingPassage {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        TrainingPassage { id: given(id), title: given(title), text: text.to_owned(), score }
    }

    #[test]
    fn positives_hard_negatives_and_negatives_are_read() {
        let file = file(CONTENT);
        let options = TrainingReadOptions { skip_bad_lines: true, max_negatives: 1, ..Default::default() };
        let mut reader = open_training(file.path(), &options).expect("readable");
        let first = reader.next().expect("present").expect("valid");
        assert_eq!(first.dataset.as_deref(), Some("x"));
        assert_eq!(first.positives, [passage("1", "T", "p", Some(1000.0))]);
        assert_eq!(first.hard_negatives, [passage("2", "U", "h", Some(12.5))]);
        assert_eq!(first.negatives, [passage("", "", "n", None)]);
        assert_eq!(reader.next().expect("present").expect("valid").question, "what?");
        assert!(reader.next().is_none());
        assert_eq!(reader.skipped(), 1);
    }

    #[test]
    fn an_invalid_example_is_refused_with_its_line_and_its_position() {
        let error = |content: &str| {
            let file = file(content);
            let mut reader = open_training(file.path(), &TrainingReadOptions::default()).expect("readable");
            let error = reader.find_map(Result::err).expect("an invalid example").to_string();
            error.split_once(':').expect("a path").1.to_owned()
        };
        let expected =
            "5: expected training example 2: a JSON object with \"question\" and \"positive_ctxs\", got";
        let message = error(CONTENT);
        assert!(message.starts_with(expected), "{message}");
        assert!(message.contains("missing field `positive_ctxs`"), "{message}");
        let score = r#"{"question": "a", "positive_ctxs": [{"text": "b", "score": "high"}]}"#;
        assert!(error(score).contains("got the score \"high\""));
        assert!(
            error(r#"{"question": "a", "positive_ctxs": [{"text": null}]}"#).contains("expected a string")
        );
        assert!(error(r#"{"question": "a", "positive_ctxs": "b"}"#).contains("expected a sequence"));
    }

    #[test]
    fn a_batch_ends_after_a_number_of_examples_or_bytes() {
        let line = r#"{"question": "12345", "positive_ctxs": [{"text": "67890"}]}"#;
        let file = file(&[line; 5].join("\n"));
        let lengths = |count, bytes| {
            let mut reader = open_training(file.path(), &TrainingReadOptions::default()).expect("readable");
            let mut lengths = Vec::new();
            loop {
                let batch = reader.next_batch(count, bytes, &Arc::default()).expect("valid");
                if batch.is_empty() {
                    return lengths;
                }
                lengths.push(batch.len());
            }
        };
        assert_eq!(lengths(2, 1000), [2, 2, 1]);
        // Each example has ten bytes.
        assert_eq!(lengths(9, 21), [3, 2]);
        assert_eq!(lengths(9, 1), [1; 5]);
    }
}
