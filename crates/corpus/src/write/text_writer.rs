//! Writes a text piece by piece, optionally with gzip.

use std::path::Path;
use std::sync::Arc;

use control::Control;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::output::Output;
use crate::Error;

/// Writes a text in pieces. [`finish`](Self::finish) replaces the target file; a writer that is dropped unfinished
/// leaves the old file unchanged.
#[derive(Debug)]
pub struct TextWriter {
    target: Target,
    path: std::path::PathBuf,
    control: Arc<Control>,
}

#[derive(Debug)]
enum Target {
    Plain(Output),
    Gzip(Box<GzEncoder<Output>>),
}

impl TextWriter {
    /// Creates a writer whose file will replace `path`; with `gzip`, the file is compressed. Once `control` is
    /// canceled, each write fails, even while it waits for the reader of a FIFO.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if no file can be created in the folder of `path`; [`Error::Canceled`].
    pub fn create(path: impl AsRef<Path>, gzip: bool, control: Arc<Control>) -> Result<Self, Error> {
        let path = path.as_ref().to_path_buf();
        let output = Output::create(&path, &control).or_else(|error| {
            control.check()?;
            Err(error)
        })?;
        let target = if gzip {
            Target::Gzip(Box::new(GzEncoder::new(output, Compression::default())))
        } else {
            Target::Plain(output)
        };
        Ok(Self { target, path, control })
    }

    /// Appends a piece of the text.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if writing fails; [`Error::Canceled`].
    pub fn push(&mut self, text: &str) -> Result<(), Error> {
        use std::io::Write;
        let written = match &mut self.target {
            Target::Plain(output) => output.write_all(text.as_bytes()),
            Target::Gzip(encoder) => encoder.write_all(text.as_bytes()),
        };
        written.map_err(Error::io("write", &self.path)).or_else(|error| {
            self.control.check()?;
            Err(error)
        })
    }

    /// Completes the file and replaces the target file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] or [`Error::Storage`] if writing fails; the old file is then unchanged. [`Error::Canceled`].
    pub fn finish(self) -> Result<(), Error> {
        let Self { target, path, control } = self;
        let finished = match target {
            Target::Plain(output) => output.finish(),
            Target::Gzip(encoder) => {
                encoder.finish().map_err(Error::io("write", &path)).and_then(Output::finish)
            }
        };
        finished.or_else(|error| {
            control.check()?;
            Err(error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn the_pieces_replace_the_file_when_the_writer_finishes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "old").expect("writable");
        for gzip in [false, true] {
            let mut writer = TextWriter::create(&path, gzip, Arc::default()).expect("writable");
            writer.push("new").expect("writable");
            drop(writer);
            assert_eq!(std::fs::read(&path).expect("present"), b"old");
        }
        for gzip in [false, true] {
            let mut writer = TextWriter::create(&path, gzip, Arc::default()).expect("writable");
            ["a", "", "é\n"].iter().try_for_each(|piece| writer.push(piece)).expect("writable");
            writer.finish().expect("writable");
            let mut text = String::new();
            let file = std::fs::File::open(&path).expect("present");
            if gzip {
                flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("gzip");
            } else {
                { file }.read_to_string(&mut text).expect("UTF-8");
            }
            assert_eq!(text, "aé\n");
        }
    }

    #[test]
    fn a_canceled_writer_leaves_the_old_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "old").expect("writable");
        let control = Arc::<Control>::default();
        let mut writer = TextWriter::create(&path, false, Arc::clone(&control)).expect("writable");
        control.cancel();
        assert!(matches!(writer.push("new"), Err(Error::Canceled(_))));
        drop(writer);
        assert_eq!(std::fs::read(&path).expect("present"), b"old");
    }
}
