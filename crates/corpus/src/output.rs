use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use storage::Replacement;

use crate::Error;

/// A file that is replaced whole or not at all, or the standard output, which `-` stands for.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    File(Replacement),
    Stdout(BufWriter<Stdout>),
}

impl Output {
    pub fn create(path: &Path) -> Result<Self, Error> {
        let target = if path == Path::new("-") {
            Target::Stdout(BufWriter::with_capacity(1 << 16, io::stdout()))
        } else {
            Target::File(Replacement::create(path)?)
        };
        Ok(Self { path: path.to_path_buf(), target })
    }

    /// Writes bytes; an error names the file.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = match &mut self.target {
            Target::File(file) => file.write_all(bytes),
            Target::Stdout(stdout) => stdout.write_all(bytes),
        };
        written.map_err(Error::io("write", &self.path))
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<(), Error> {
        match self.target {
            Target::File(file) => Ok(file.finish()?),
            Target::Stdout(mut stdout) => stdout.flush().map_err(Error::io("write", &self.path)),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
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
