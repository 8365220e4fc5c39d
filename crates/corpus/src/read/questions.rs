//! Opens files of questions: [`open_questions`] and [`QuestionReader`].

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use control::Control;

use super::detect;
use super::format::QuestionFormat;
use super::options::ReadOptions;
use crate::Error;
use crate::formats::source::QuestionSource;
use crate::formats::{JsonQuestions, PubmedQaQuestions, SquadQuestions, TableQuestions, Topics, TsvQueries};
use crate::input::{BufferedInput, Lines, Progress, SharedControl};
use crate::json::JsonRecords;
use crate::types::Question;

/// Iterator over the questions of a file, in order. Ends after the first error that it returns; invalid lines that are
/// skipped do not end it.
pub struct QuestionReader {
    source: Box<dyn QuestionSource>,
    progress: Progress,
    format: QuestionFormat,
    skip_bad_lines: bool,
    control: SharedControl,
    skipped: u64,
    has_ended: bool,
}

/// Opens a file of questions, plain or gzip. The file may be a FIFO, a pipe or a device. `options.split` and
/// `options.max_passage_bytes` have no effect.
///
/// # Errors
///
/// [`Error::Io`] or [`Error::Gzip`] if the file cannot be read; [`Error::Format`] if the format cannot be detected;
/// [`Error::Argument`] for a `gold_field` in a format without such properties; [`Error::Canceled`].
pub fn open_questions(
    path: impl AsRef<Path>,
    format: QuestionFormat,
    options: &ReadOptions,
) -> Result<QuestionReader, Error> {
    let input_options = options.input_options();
    let (mut input, progress) = BufferedInput::open_with(path.as_ref(), &input_options)?;
    let format = match format {
        QuestionFormat::Auto => detect::question_format(&mut input)?,
        known => known,
    };
    let has_gold_field =
        matches!(format, QuestionFormat::Beir | QuestionFormat::DprJsonl | QuestionFormat::DprJson);
    if options.gold_field.is_some() && !has_gold_field {
        let expected = "a file of JSON questions, whose objects have properties";
        return Err(Error::argument(
            "goldField",
            expected,
            format!("{} in the format {format}", path.as_ref().display()),
        ));
    }
    let source: Box<dyn QuestionSource> = match format {
        QuestionFormat::Auto => unreachable!("it was detected"),
        QuestionFormat::Tsv => Box::new(TsvQueries::new(Lines::new(input))),
        QuestionFormat::DprCsv => Box::new(TableQuestions::new(Lines::new(input))),
        QuestionFormat::Beir | QuestionFormat::DprJsonl | QuestionFormat::DprJson => {
            Box::new(JsonQuestions::new(JsonRecords::new(input)?, options.gold_field.clone()))
        }
        QuestionFormat::Squad => Box::new(SquadQuestions::new(input)),
        QuestionFormat::Trec => Box::new(Topics::new(Lines::new(input))),
        QuestionFormat::PubmedQa => Box::new(PubmedQaQuestions::new(input)),
    };
    let skip_bad_lines = options.skip_bad_lines;
    let control = input_options.control;
    Ok(QuestionReader { source, progress, format, skip_bad_lines, control, skipped: 0, has_ended: false })
}

impl QuestionReader {
    /// Replaces the control that cancels reading.
    pub fn set_control(&self, control: Arc<Control>) {
        self.control.replace(control);
    }

    /// Returns the next `count` questions, or fewer at the end of the file. `control` cancels this call and all later
    /// reads. Its progress is the number of bytes that have been read from the file so far, in this call and in
    /// earlier ones, before decompression.
    ///
    /// # Errors
    ///
    /// [`Error::Line`] for an invalid line, unless such lines are skipped; [`Error::Format`], [`Error::Io`] or
    /// [`Error::Gzip`] if the rest of the file cannot be read; [`Error::Canceled`]. The questions that this call has
    /// read before an error are lost.
    pub fn next_batch(&mut self, count: usize, control: &Arc<Control>) -> Result<Vec<Question>, Error> {
        self.set_control(Arc::clone(control));
        let mut batch = Vec::with_capacity(count);
        for question in self.by_ref().take(count) {
            control.check()?;
            batch.push(question?);
        }
        control.set_total(self.bytes_total());
        control.advance(self.bytes_read());
        Ok(batch)
    }

    /// The format of the file, never [`QuestionFormat::Auto`].
    #[must_use]
    pub fn format(&self) -> QuestionFormat {
        self.format
    }

    /// Number of invalid lines that have been skipped so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Number of bytes that have been read from the file so far, before decompression. Because input is buffered, some
    /// of these bytes may belong to questions that have not been returned yet.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.progress.read.load(Ordering::Relaxed)
    }

    /// Total number of bytes to read, before decompression, or 0 if it is unknown.
    #[must_use]
    pub fn bytes_total(&self) -> u64 {
        self.progress.total
    }
}

impl Iterator for QuestionReader {
    type Item = Result<Question, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.has_ended {
            match self.source.read() {
                Ok(Some(question)) => return Some(Ok(question)),
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

impl std::iter::FusedIterator for QuestionReader {}

impl std::fmt::Debug for QuestionReader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("QuestionReader").field("format", &self.format).finish_non_exhaustive()
    }
}
