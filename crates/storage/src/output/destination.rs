//! [`Output`]: a file or a stream to which a format other than the container is written from beginning to end.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::stop::Stop;
use super::stream::Stream;
use crate::Error;
use crate::path::{Target, folder_of};
use crate::replace::{CompleteFile, Replacement};

/// A regular file, which a [`Replacement`] replaces atomically; or a FIFO, a character device or a file descriptor
/// (`/dev/stdout`, `/dev/fd/3`), to which bytes are written directly.
#[derive(Debug)]
pub struct Output {
    target: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    File(Box<Replacement>),
    Stream(BufWriter<Stream>),
}

impl Output {
    /// Starts writing to `target`. If it is a FIFO, this call waits until the FIFO has a reader or `stop` returns true.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], also if the target is a folder, a block device, a socket or a loop of links, or if `stop` returned
    /// true.
    pub fn create(target: &Path, stop: Stop) -> Result<Self, Error> {
        let io = || Error::io("write", target);
        let stream = match Target::resolve(target).map_err(io())? {
            Target::File { path, replaced } => {
                let file = Replacement::create_at(target, path, replaced)?;
                return Ok(Self { target: target.to_path_buf(), sink: Sink::File(Box::new(file)) });
            }
            Target::Stream(path) => Stream::open(&path, stop),
            Target::Descriptor(path, number) => Stream::open_descriptor(&path, number, stop),
        };
        let stream = BufWriter::with_capacity(1 << 16, stream.map_err(io())?);
        Ok(Self { target: target.to_path_buf(), sink: Sink::Stream(stream) })
    }

    /// Checks in advance that the target is of a type that [`create`](Self::create) accepts, and that the folder of a
    /// regular file exists. Does not wait for a reader, and does not check permissions.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the target or its folder is unsuitable.
    pub fn check(target: &Path) -> Result<(), Error> {
        let found = Target::resolve(target).and_then(|found| match found {
            Target::File { path, .. } => fs::metadata(folder_of(&path)).map(drop),
            _ => Ok(()),
        });
        found.map_err(Error::io("write", target))
    }

    /// Returns true if two paths lead to the same regular file, which need not exist yet.
    #[must_use]
    pub fn is_same_file(first: &Path, second: &Path) -> bool {
        let resolved = |path: &Path| match Target::resolve(path) {
            Ok(Target::File { path, .. }) => {
                Some((fs::canonicalize(folder_of(&path)).ok()?, path.file_name()?.to_os_string()))
            }
            _ => None,
        };
        resolved(first).is_some_and(|found| Some(found) == resolved(second))
    }

    /// Completes the output without renaming it to its target. A stream ends here.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], which leaves the old file unchanged.
    pub fn complete(self) -> Result<Written, Error> {
        match self.sink {
            Sink::File(file) => Ok(Written(Some(file.complete()?))),
            Sink::Stream(mut stream) => {
                stream.flush().map_err(Error::io("write", &self.target))?;
                Ok(Written(None))
            }
        }
    }

    /// Completes the output and renames it to its target.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], which leaves the old file unchanged.
    pub fn finish(self) -> Result<(), Error> {
        self.complete()?.rename()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::File(file) => file.write(bytes),
            Sink::Stream(stream) => stream.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::File(file) => file.flush(),
            Sink::Stream(stream) => stream.flush(),
        }
    }
}

/// A complete [`Output`]: a file that has not been renamed to its target yet, or a stream that has ended. If it is
/// dropped before the rename, the file is removed.
#[derive(Debug)]
pub struct Written(pub(super) Option<CompleteFile>);

impl Written {
    /// Renames the file to its target.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], which leaves the old file unchanged.
    pub fn rename(self) -> Result<(), Error> {
        self.0.map_or(Ok(()), CompleteFile::rename)
    }
}
