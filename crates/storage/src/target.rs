//! What a path given for writing stands for.

use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Longest chain of symbolic links that is followed, as in Linux.
const MAX_LINKS: usize = 40;

/// Where bytes written to a path go, symbolic links followed.
#[derive(Debug)]
pub(crate) enum Target {
    /// A regular file, or none yet.
    File {
        /// Free of links in its last component, so a rename to it replaces the file and no link.
        path: PathBuf,
        /// The file that is there now.
        replaced: Option<Metadata>,
    },
    /// A FIFO or a character device.
    Stream(PathBuf),
    /// A descriptor of this process: `/dev/stdout`, `/dev/fd/3`.
    Descriptor(PathBuf, u32),
}

impl Target {
    /// Follows the links of `path`.
    ///
    /// # Errors
    ///
    /// What the system says; a folder, a block device, a socket or a loop of links.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_path_buf();
        for _ in 0..=MAX_LINKS {
            if let Some(number) = descriptor(&path) {
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
                // A relative link starts in the folder of the link; `join` lets an absolute one replace it.
                path = folder_of(&path).join(fs::read_link(&path)?);
            } else if kind.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            } else if kind.is_file() {
                return Ok(Self::File { path, replaced: Some(metadata) });
            } else if is_stream(kind) {
                return Ok(Self::Stream(path));
            } else {
                return Err(unsuitable("a regular file, a FIFO or a character device", name_of(kind)));
            }
        }
        Err(unsuitable("a file", &format!("a chain of more than {MAX_LINKS} symbolic links, or a loop")))
    }
}

/// An error that says what was expected of a target.
pub(crate) fn unsuitable(expected: &str, got: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("expected {expected}, got {got}"))
}

/// What a kind of file is called in messages.
pub(crate) fn name_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let names = [
            (kind.is_fifo(), "a FIFO"),
            (kind.is_char_device(), "a character device"),
            (kind.is_block_device(), "a block device"),
            (kind.is_socket(), "a socket"),
        ];
        if let Some((_, name)) = names.into_iter().find(|(is, _)| *is) {
            return name;
        }
    }
    if kind.is_file() { "a regular file" } else { "a special file" }
}

/// The folder that a path lies in.
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

/// The number of the descriptor that a path names: its folder is `/dev/fd` or, on Linux, leads to `/proc/<process>/fd`.
/// Followed any further, it would be a file that somebody opened: replacing that would bypass the descriptor.
fn descriptor(path: &Path) -> Option<u32> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let folder = fs::canonicalize(folder_of(path)).ok()?;
    let own = Path::new("/proc").join(std::process::id().to_string());
    // Threads have folders of their own: `/proc/<process>/task/<thread>/fd`.
    let is_own = folder.ends_with("fd") && folder.starts_with(own);
    (is_own || folder == Path::new("/dev/fd")).then_some(number)
}
