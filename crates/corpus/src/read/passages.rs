//! Opens files of passages.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use control::Control;

use super::detect;
use super::format::PassageFormat;
use super::options::ReadOptions;
use super::split::Split;
use crate::Error;
use crate::formats::{JsonPassages, PubmedQaPassages, SquadPassages, TablePassages, Texts, files_in};
use crate::input::{BufferedInput, Lines, Progress, SharedControl, passage_too_long};
use crate::record::Passage;
use crate::source::PassageSource;

/// Iterator over the passages of a file or folder, in order. Ends after the first error.
pub struct PassageReader {
    source: Box<dyn PassageSource>,
    progress: Progress,
    format: PassageFormat,
    skip_bad_lines: bool,
    max_passage: usize,
    control: SharedControl,
    skipped: u64,
    has_ended: bool,
}

/// Opens a file of passages, plain or gzip, or a folder of texts. The file may be a FIFO, a pipe or a device, because
/// all formats are read once, from the beginning.
///
/// # Errors
///
/// [`Error::Io`], [`Error::Gzip`]; [`Error::Format`] if the format cannot be detected, if a folder is opened with another format than text, or if a folder contains a FIFO, socket or device with the
/// file name of a text; [`Error::Text`] if the splitting options are invalid; [`Error::Cancelled`].
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
    let (mut input, progress) = BufferedInput::open_within(path, &input_options)?;
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
    /// Reads the next passage into `passage`. Returns `false` at the end. Unlike [`next`](Iterator::next), it reuses memory.
    ///
    /// # Errors
    ///
    /// [`Error::Line`] unless bad lines are skipped, including for a document or passage beyond its limit;
    /// [`Error::Format`], [`Error::Io`], [`Error::Gzip`], [`Error::Cancelled`]. After an error, nothing more can be
    /// read.
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

    fn read_checked(&mut self, passage: &mut Passage) -> Result<bool, Error> {
        let more = self.source.read(passage)?;
        if more
            && let Some((expected, got)) =
                passage_too_long(&passage.id, passage.title.as_deref(), &passage.text, self.max_passage)
        {
            return Err(self.source.error(expected, got));
        }
        Ok(more)
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

    /// Number of bad lines that were skipped so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Number of bytes of the file that were read so far, before decompression. It is up to a buffer ahead of the passages.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.progress.read.load(Ordering::Relaxed)
    }

    /// Total number of bytes to read, or 0 if it is unknown.
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
