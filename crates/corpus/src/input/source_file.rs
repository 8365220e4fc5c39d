//! Opens files for reading: regular files, FIFOs, pipes, terminals and other character devices.
//!
//! Reading from a FIFO waits until a writer has opened it and has written data. The wait is split into polls of at most
//! [`MAX_WAIT_MS`] milliseconds. The reader's control is checked before each poll, so a canceled reader stops soon.

use std::fs::{File, FileType, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::cancellation::SharedControl;
use crate::Error;

/// Maximum time between two checks for cancellation, in milliseconds.
#[cfg(unix)]
const MAX_WAIT_MS: u32 = 50;

/// An open file. If the control is canceled, reads fail with an error that wraps [`control::Canceled`], even while
/// they wait for data.
#[derive(Debug)]
pub(crate) struct SourceFile {
    file: File,
    /// Whether a read may have to wait for data. False for regular files.
    can_block: bool,
    control: SharedControl,
}

impl SourceFile {
    /// Opens a file. Also returns its length in bytes, or 0 if the length is unknown.
    pub fn open(path: &Path, control: SharedControl) -> Result<(Self, u64), Error> {
        let (file, metadata) = open_file(path)?;
        let can_block = !metadata.is_file();
        let length = if can_block { 0 } else { metadata.len() };
        Ok((Self { file, can_block, control }, length))
    }

    /// Opens a regular file. Also returns its length in bytes. Fails with [`Error::Format`] for FIFOs, sockets and
    /// devices.
    pub fn open_regular(path: &Path, control: SharedControl) -> Result<(Self, u64), Error> {
        let (file, metadata) = open_file(path)?;
        if !metadata.is_file() {
            return Err(not_regular(path, metadata.file_type()));
        }
        Ok((Self { file, can_block: false, control }, metadata.len()))
    }
}

/// Creates the error for a path that must be a regular file, but is not.
pub(crate) fn not_regular(path: &Path, kind: FileType) -> Error {
    Error::format(path, "a regular file", storage::file_type_name(kind))
}

/// Opens a file, FIFO or device. Fails for a folder.
fn open_file(path: &Path) -> Result<(File, Metadata), Error> {
    let file = open_without_waiting(path).map_err(Error::io("open", path))?;
    let metadata = file.metadata().map_err(Error::io("open", path))?;
    if metadata.is_dir() {
        return Err(Error::io("open", path)(ErrorKind::IsADirectory.into()));
    }
    Ok((file, metadata))
}

/// Opens a file for reading. Does not wait for the writer of a FIFO.
#[cfg(unix)]
fn open_without_waiting(path: &Path) -> std::io::Result<File> {
    use std::os::fd::AsFd;
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;

    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = std::fs::OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path);
    match opened {
        // In a child process of Node, standard input can be a socket, which cannot be opened by its path.
        Err(error)
            if error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
                && path == Path::new("/dev/stdin") =>
        {
            Ok(File::from(std::io::stdin().as_fd().try_clone_to_owned()?))
        }
        other => other,
    }
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

impl Read for SourceFile {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            self.control.check().map_err(std::io::Error::other)?;
            if !self.can_block {
                return self.file.read(buffer);
            }
            if !self.is_ready()? {
                continue;
            }
            match self.file.read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                other => return other,
            }
        }
    }
}

impl SourceFile {
    /// Waits for at most [`MAX_WAIT_MS`] milliseconds until the file is ready. Returns whether a read would then return
    /// immediately, with data or at the end of the file.
    ///
    /// Polling is necessary even for a FIFO that has no writer: a read returns 0 both before the first writer has
    /// opened the FIFO and after the last one has closed it. `poll` reports only the second case, as a hang-up
    /// (`POLLHUP`).
    #[cfg(unix)]
    fn is_ready(&self) -> std::io::Result<bool> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let timeout = Timespec { tv_sec: 0, tv_nsec: (i64::from(MAX_WAIT_MS) * 1_000_000) as _ };
        let mut polled = [PollFd::new(&self.file, PollFlags::IN)];
        match poll(&mut polled, Some(&timeout)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    #[cfg(not(unix))]
    fn is_ready(&self) -> std::io::Result<bool> {
        Ok(true)
    }
}
