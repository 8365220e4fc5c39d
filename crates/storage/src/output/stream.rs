//! Writes bytes directly to a FIFO, a character device or an open file descriptor.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::stop::Stop;
use crate::path::{file_type_name, unsuitable};

/// Pause between two checks of whether a FIFO has a reader yet.
const READER_POLL: Duration = Duration::from_millis(10);
/// The first pause of a write that waits for a slow reader. Each further pause is twice as long, up to [`MAX_PAUSE`].
const MIN_PAUSE: Duration = Duration::from_micros(50);
/// The longest pause of a write that waits for a slow reader.
const MAX_PAUSE: Duration = Duration::from_millis(10);

/// An open stream. While it waits for a reader, it calls `stop` at intervals of about 10 ms or less.
pub(crate) struct Stream {
    file: fs::File,
    stop: Stop,
}

impl Stream {
    /// Opens a device, or a FIFO once it has a reader.
    pub fn open(path: &Path, stop: Stop) -> io::Result<Self> {
        let kind = fs::metadata(path)?.file_type();
        let mut options = OpenOptions::new();
        // The path may name a descriptor of a regular file, whose content must be kept.
        options.append(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
            if kind.is_socket() {
                return Err(unsuitable("a file, a pipe or a device", file_type_name(kind)));
            }
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
        }
        loop {
            match options.open(path) {
                Err(error) if is_without_reader(&error, kind) => {
                    thread::sleep(READER_POLL);
                    check(&stop)?;
                }
                opened => return Ok(Self { file: opened?, stop }),
            }
        }
    }

    /// Opens the descriptor that a path such as `/dev/stdout` names. The descriptors of stdout and stderr are
    /// duplicated, which keeps the position in a file and works with sockets. Other descriptors are opened again by
    /// path.
    pub fn open_descriptor(path: &Path, number: u32, stop: Stop) -> io::Result<Self> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let owned = match number {
                1 => Some(io::stdout().as_fd().try_clone_to_owned()?),
                2 => Some(io::stderr().as_fd().try_clone_to_owned()?),
                _ => None,
            };
            if let Some(owned) = owned {
                return Ok(Self { file: owned.into(), stop });
            }
        }
        let _ = number;
        Self::open(path, stop)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut pause = MIN_PAUSE;
        loop {
            match self.file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    thread::sleep(pause);
                    pause = (2 * pause).min(MAX_PAUSE);
                    check(&self.stop)?;
                }
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Stream").field(&self.file).finish()
    }
}

/// Fails if the writer should give up.
fn check(stop: &Stop) -> io::Result<()> {
    // The kind is not `Interrupted`, because `write_all` would retry after such an error.
    if stop() { Err(io::Error::other("stopped before everything was written")) } else { Ok(()) }
}

/// Returns true if opening a FIFO failed because the FIFO has no reader yet.
#[cfg(unix)]
fn is_without_reader(error: &io::Error, kind: fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() && error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

#[cfg(not(unix))]
fn is_without_reader(_: &io::Error, _: fs::FileType) -> bool {
    false
}
