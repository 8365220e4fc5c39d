//! The crate's error type.

use std::path::{Path, PathBuf};

/// Why a file could not be opened or saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation of the operating system failed.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// The operation, such as `open` or `write`.
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is damaged, or is a file of another format.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What a valid file has there.
        expected: String,
        /// What this file has there.
        got: String,
    },
    /// The file has a version of the format that this release does not read.
    #[error("{}: expected version {expected} of the {name} format, got version {got}; build it again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Name of the format.
        name: &'static str,
        /// The version that this release reads.
        expected: u32,
        /// The version of the file.
        got: u32,
    },
}

impl Error {
    /// Returns a function, for `map_err`, that turns the system's error into an [`Error::Io`] for `path`.
    pub fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { operation, path: path.to_path_buf(), source }
    }

    /// Returns an [`Error::Corrupt`] for `path`.
    pub fn corrupt(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }
}
