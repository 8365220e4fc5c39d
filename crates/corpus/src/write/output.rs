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
    /// Creates the destination. When `control` is canceled, all operations fail, even while they wait for the reader of
    /// a FIFO.
    pub fn create(path: &Path, control: &Arc<Control>) -> Result<Self, Error> {
        let target = if path == Path::new("-") {
            Target::Stdout(BufWriter::with_capacity(1 << 16, io::stdout()))
        } else {
            let control = Arc::clone(control);
            Target::File(storage::Output::create(path, Box::new(move || control.is_cancelled()))?)
        };
        Ok(Self { path: path.to_path_buf(), target, control: Arc::clone(control) })
    }

    /// Writes bytes. Its errors contain the path.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.write_all(bytes).map_err(Error::io("write", &self.path))
    }

    /// Writes what is buffered. If the destination is a file, replaces it.
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

/// Writes a complete file by calling `write`. Fails with [`Error::Cancelled`] if the failure was caused by
/// cancellation.
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
