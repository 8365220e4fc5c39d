//! Opens files of passages: [`open_passages`] and [`PassageReader`].

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use control::{Canceled, Control};

use super::detect;
use super::format::PassageFormat;
use super::options::ReadOptions;
use super::split::Split;
use crate::Error;
use crate::formats::source::PassageSource;
use crate::formats::{JsonPassages, PubmedQaPassages, SquadPassages, TablePassages, Texts, files_in};
use crate::input::{BufferedInput, Lines, Progress, SharedControl, passage_too_long};
use crate::types::Passage;

/// Iterator over the passages of a file or folder, in order. Ends after the first error that it returns; invalid lines
/// that are skipped do not end it.
pub struct PassageReader {
    source: Box<dyn PassageSource>,
    progress: Progress,
    format: PassageFormat,
    skip_bad_lines: bool,
    /// Maximum number of bytes of a passage.
    max_passage: usize,
    control: SharedControl,
    skipped: u64,
    has_ended: bool,
}

/// Opens a file of passages, plain or gzip, or a folder of text files. The file may be a FIFO, a pipe or a device,
/// because files of all formats are read once, from start to end.
///
/// # Errors
///
/// [`Error::Io`] or [`Error::Gzip`] if the file cannot be read; [`Error::Format`] if the format cannot be detected, if
/// a folder is opened with a format other than text, or if a folder contains a FIFO, socket or device with the name of
/// a text file; [`Error::Text`] if the options for splitting are invalid; [`Error::Canceled`].
pub fn open_passages(
    path: impl AsRef<Path>,
    format: PassageFormat,
    options: &ReadOptions,
) -> Result<PassageReader, Error> {
    let path = path.as_ref();
    let (input_options, max_passage) = (options.input_options(), options.max_passage_bytes);
    let reader = |source, progress, format| PassageReader {
        source,
        progress,
        format,
        skip_bad_lines: options.skip_bad_lines,
        max_passage,
        control: input_options.control.clone(),
        skipped: 0,
        has_ended: false,
    };
    if path.is_dir() {
        if !matches!(format, PassageFormat::Auto | PassageFormat::Text) {
            return Err(Error::format(path, format!("a {format} file"), "a folder"));
        }
        let (files, progress) = files_in(path, &input_options)?;
        let texts = Texts::from_folder(files, progress.clone(), input_options.clone());
        let source = Box::new(Split::new(texts, options.split.unwrap_or_default(), max_passage)?);
        return Ok(reader(source, progress, PassageFormat::Text));
    }
    let (mut input, progress) = BufferedInput::open_with(path, &input_options)?;
    let format = match format {
        PassageFormat::Auto => detect::passage_format(&mut input)?,
        known => known,
    };
    let source: Box<dyn PassageSource> = match format {
        PassageFormat::Auto => unreachable!("it was detected"),
        PassageFormat::Text => {
            let texts = Texts::from_file(input);
            let source = Box::new(Split::new(texts, options.split.unwrap_or_default(), max_passage)?);
            return Ok(reader(source, progress, format));
        }
        PassageFormat::Dpr => Box::new(TablePassages::new(Lines::new(input))),
        PassageFormat::Beir => Box::new(JsonPassages::beir(Lines::new(input))),
        PassageFormat::Anserini => Box::new(JsonPassages::anserini(Lines::new(input))),
        PassageFormat::Squad => Box::new(SquadPassages::new(input, max_passage)),
        PassageFormat::PubmedQa => Box::new(PubmedQaPassages::new(input)),
    };
    let source = match options.split {
        None => source,
        Some(options) => Box::new(Split::new(source, options, max_passage)?),
    };
    Ok(reader(source, progress, format))
}

impl PassageReader {
    /// Reads the next passage into `passage`. Returns `false` after the last passage. Unlike [`next`](Iterator::next),
    /// this reuses the memory of `passage`.
    ///
    /// # Errors
    ///
    /// [`Error::Line`] for an invalid line, and for a document or passage that exceeds its limit, unless such lines are
    /// skipped; [`Error::Format`], [`Error::Io`] or [`Error::Gzip`] if the rest of the file cannot be read;
    /// [`Error::Canceled`]. After an error, nothing more can be read.
    pub fn read_into(&mut self, passage: &mut Passage) -> Result<bool, Error> {
        if self.has_ended {
            return Ok(false);
        }
        loop {
            match self.read_checked(passage) {
                Ok(true) => return Ok(true),
                Err(Error::Line { .. }) if self.skip_bad_lines => {
                    self.skipped += 1;
                    self.control.check()?;
                }
                other => {
                    self.has_ended = true;
                    return other;
                }
            }
        }
    }

    /// Reads all remaining passages and calls `put` with each. The passages share one buffer. The progress of `control`
    /// is the number of bytes that have been read from the file, before decompression.
    ///
    /// # Errors
    ///
    /// The errors of [`read_into`](Self::read_into) and of `put`; [`Canceled`].
    pub fn read_all<E: From<Error> + From<Canceled>>(
        &mut self,
        control: &Control,
        mut put: impl FnMut(&Passage) -> Result<(), E>,
    ) -> Result<(), E> {
        control.set_total(self.bytes_total());
        let (mut bytes_counted, mut passage) = (0, Passage::default());
        loop {
            control.check()?;
            let has_passage = self.read_into(&mut passage)?;
            let bytes_read = self.bytes_read();
            if bytes_read > bytes_counted {
                control.advance(bytes_read - bytes_counted);
                bytes_counted = bytes_read;
            }
            if !has_passage {
                return Ok(());
            }
            put(&passage)?;
        }
    }

    /// Returns the next `count` passages, or fewer at the end of the file. `control` cancels this call and all later
    /// reads. Its progress is the number of bytes that have been read from the file so far, in this call and in
    /// earlier ones, before decompression.
    ///
    /// # Errors
    ///
    /// The errors of [`read_into`](Self::read_into). The passages that this call has read before an error are lost.
    pub fn next_batch(&mut self, count: usize, control: &Arc<Control>) -> Result<Vec<Passage>, Error> {
        self.set_control(Arc::clone(control));
        let mut batch = Vec::with_capacity(count);
        for passage in self.by_ref().take(count) {
            control.check()?;
            batch.push(passage?);
        }
        control.set_total(self.bytes_total());
        control.advance(self.bytes_read());
        Ok(batch)
    }

    /// Reads the next passage. Fails with [`Error::Line`] if the passage exceeds the limit.
    fn read_checked(&mut self, passage: &mut Passage) -> Result<bool, Error> {
        let has_passage = self.source.read(passage)?;
        if has_passage
            && let Some((expected, got)) =
                passage_too_long(&passage.id, passage.title.as_deref(), &passage.text, self.max_passage)
        {
            return Err(self.source.error(expected, got));
        }
        Ok(has_passage)
    }

    /// Replaces the control that cancels reading.
    pub fn set_control(&self, control: Arc<Control>) {
        self.control.replace(control);
    }

    /// The format of the file, never [`PassageFormat::Auto`].
    #[must_use]
    pub fn format(&self) -> PassageFormat {
        self.format
    }

    /// Number of invalid lines that have been skipped so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Number of bytes that have been read from the file so far, before decompression. Because input is buffered, some
    /// of these bytes may belong to passages that have not been returned yet.
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

impl Iterator for PassageReader {
    type Item = Result<Passage, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut passage = Passage::default();
        match self.read_into(&mut passage) {
            Ok(true) => Some(Ok(passage)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl std::iter::FusedIterator for PassageReader {}

impl std::fmt::Debug for PassageReader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PassageReader").field("format", &self.format).finish_non_exhaustive()
    }
}
