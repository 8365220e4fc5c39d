//! The errors of this crate.

use std::path::{Path, PathBuf};

/// Why a file of vectors could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation of the operating system failed.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// The operation: `open` or `read`.
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file has another format, is damaged, or contains something other than vectors.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What a valid file contains.
        expected: String,
        /// What this file contains.
        got: String,
    },
    /// The vectors do not have the requested length.
    #[error("{}: expected vectors of dimension {expected}, got {got}", path.display())]
    Dimension {
        /// The file.
        path: PathBuf,
        /// The requested length.
        expected: usize,
        /// The length of the file's vectors.
        got: usize,
    },
    /// There is not exactly one id for each vector.
    #[error("{}: expected one id for each of {expected} vectors, got {got} ids", path.display())]
    Count {
        /// The file of ids, or the file of vectors if the ids are a list in memory.
        path: PathBuf,
        /// The number of vectors.
        expected: u64,
        /// The number of ids.
        got: u64,
    },
    /// An option is missing, has an invalid value, or does not apply to the file.
    #[error("{name}: expected {expected}, got {got}")]
    Option {
        /// The name of the option.
        name: &'static str,
        /// What the option may be.
        expected: String,
        /// What the option was.
        got: String,
    },
    /// A file could not be written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl Error {
    pub(crate) fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { operation, path: path.to_path_buf(), source }
    }

    pub(crate) fn format(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Format { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }
}
