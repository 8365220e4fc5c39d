//! The destination that writers write to: a file, a FIFO or device, or standard output.

use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use control::Control;

use crate::Error;

/// A file that is replaced atomically, a FIFO or device that is written to directly, or standard output for the path
/// `-`.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    target: Target,
    control: Arc<Control>,
}

#[derive(Debug)]
enum Target {
    File(storage::Output),
    Stdout(BufWriter<Stdout>),
}

impl Output {
    /// Opens the destination for writing. Once `control` is canceled, each write fails. If `create` or a write is
    /// waiting for the reader of a FIFO when `control` is canceled, it stops waiting and fails.
    pub fn create(path: &Path, control: &Arc<Control>) -> Result<Self, Error> {
        let target = if path == Path::new("-") {
            Target::Stdout(BufWriter::with_capacity(1 << 16, io::stdout()))
        } else {
            let control = Arc::clone(control);
            Target::File(storage::Output::create(path, Box::new(move || control.is_canceled()))?)
        };
        Ok(Self { path: path.to_path_buf(), target, control: Arc::clone(control) })
    }

    /// Writes bytes. Unlike the errors of [`Write::write`], those of this function contain the path.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.write_all(bytes).map_err(Error::io("write", &self.path))
    }

    /// Writes the buffered bytes. If the destination is a file, replaces it.
    pub fn finish(self) -> Result<(), Error> {
        match self.target {
            Target::File(file) => Ok(file.finish()?),
            Target::Stdout(mut stdout) => stdout.flush().map_err(Error::io("write", &self.path)),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.control.check().map_err(io::Error::other)?;
        match &mut self.target {
            Target::File(file) => file.write(bytes),
            Target::Stdout(stdout) => stdout.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::File(file) => file.flush(),
            Target::Stdout(stdout) => stdout.flush(),
        }
    }
}

/// Opens the output, calls `write`, which must write the complete content, and finishes the output. Once `control` is
/// canceled, every error is returned as [`Error::Canceled`].
pub(crate) fn write_whole(
    path: &Path,
    control: &Arc<Control>,
    write: impl FnOnce(&mut Output) -> Result<(), Error>,
) -> Result<(), Error> {
    let written = Output::create(path, control).and_then(|mut output| {
        write(&mut output)?;
        output.finish()
    });
    written.or_else(|error| {
        control.check()?;
        Err(error)
    })
}
