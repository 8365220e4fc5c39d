//! Resolves the path of an output to a regular file, a stream or a file descriptor.

use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::regular::file_type_name;

/// Maximum number of symbolic links that are followed, as in Linux.
const MAX_LINKS: usize = 40;

/// Where bytes that are written to a path go, after following symbolic links.
#[derive(Debug)]
pub(crate) enum Target {
    /// A regular file, which need not exist yet.
    File {
        /// The path of the file, which is not a symbolic link. A rename to this path therefore replaces the file, not a
        /// link.
        path: PathBuf,
        /// Metadata of the existing file, if there is one.
        replaced: Option<Metadata>,
    },
    /// A FIFO or a character device.
    Stream(PathBuf),
    /// An open file descriptor of this process: its path, such as `/dev/fd/3`, and its number. `/dev/stdout` is a link
    /// to one.
    Descriptor(PathBuf, u32),
}

impl Target {
    /// Resolves `path`, following symbolic links.
    ///
    /// # Errors
    ///
    /// The system's error; an error for a folder, a block device, a socket or a loop of links.
    pub fn resolve(path: &Path) -> io::Result<Self> {
        let mut path = path.to_path_buf();
        for _ in 0..=MAX_LINKS {
            if let Some(number) = descriptor_number(&path) {
                return Ok(Self::Descriptor(path, number));
            }
            let metadata = match fs::symlink_metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Self::File { path, replaced: None });
                }
                Err(error) => return Err(error),
            };
            let kind = metadata.file_type();
            if kind.is_symlink() {
                // A relative link is relative to its own folder; `join` returns an absolute one unchanged.
                path = folder_of(&path).join(fs::read_link(&path)?);
            } else if kind.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            } else if kind.is_file() {
                return Ok(Self::File { path, replaced: Some(metadata) });
            } else if is_stream(kind) {
                return Ok(Self::Stream(path));
            } else {
                return Err(unsuitable("a regular file, a FIFO or a character device", file_type_name(kind)));
            }
        }
        Err(unsuitable("a file", &format!("a chain of more than {MAX_LINKS} symbolic links, or a loop")))
    }
}

/// Returns the error for a path that cannot be a target.
pub(crate) fn unsuitable(expected: &str, got: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("expected {expected}, got {got}"))
}

/// Returns the folder that contains a path: `.` if the path is only a name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn is_stream(kind: FileType) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        kind.is_fifo() || kind.is_char_device()
    }
    #[cfg(not(unix))]
    {
        let _ = kind;
        false
    }
}

/// Returns the number of the file descriptor that a path names; `None` if the path is not in `/dev/fd` (on Linux, a
/// link to `/proc/<process>/fd`). On Linux, `/dev/fd/3` is itself a link to the open file. This link is not followed,
/// because replacing the file would bypass the descriptor.
fn descriptor_number(path: &Path) -> Option<u32> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let folder = fs::canonicalize(folder_of(path)).ok()?;
    let own_process = Path::new("/proc").join(std::process::id().to_string());
    // Each thread has its own folder: `/proc/<process>/task/<thread>/fd`.
    let is_own = folder.ends_with("fd") && folder.starts_with(own_process);
    (is_own || folder == Path::new("/dev/fd")).then_some(number)
}
