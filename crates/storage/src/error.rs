use std::path::{Path, PathBuf};

/// Why a file could not be opened or saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// What was attempted: `open`, `write`, …
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not what its header says it is, or has no such header.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What a sound file has there.
        expected: String,
        /// What this one has.
        got: String,
    },
    /// The file was written by another version of the format.
    #[error("{}: expected version {expected} of the {name} format, got version {got}; build it again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Name of the format.
        name: &'static str,
        /// The version this code reads.
        expected: u32,
        /// The version of the file.
        got: u32,
    },
}

impl Error {
    /// An [`Error::Io`] for `path`.
    pub fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { operation, path: path.to_path_buf(), source }
    }

    /// An [`Error::Corrupt`] for `path`.
    pub fn corrupt(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }
}
