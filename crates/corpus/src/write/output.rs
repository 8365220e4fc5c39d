//! Destinations of written files.

use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use control::Control;

use crate::Error;

/// A file that is replaced atomically, a FIFO or a device that is written to directly, or standard output for the path `-`.
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
    /// Starts writing. After cancellation, all operations fail, including waits for the reader of a FIFO.
    pub fn create(path: &Path, control: &Arc<Control>) -> Result<Self, Error> {
        let target = if path == Path::new("-") {
            Target::Stdout(BufWriter::with_capacity(1 << 16, io::stdout()))
        } else {
            let waiting = Arc::clone(control);
            Target::File(storage::Output::create(path, Box::new(move || waiting.is_cancelled()))?)
        };
        Ok(Self { path: path.to_path_buf(), target, control: Arc::clone(control) })
    }

    /// Writes bytes. Errors contain the path.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.write_all(bytes).map_err(Error::io("write", &self.path))
    }

    /// Completes the output and renames a file to its target.
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

/// Writes a whole file. A failure caused by cancellation is [`Error::Cancelled`].
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
