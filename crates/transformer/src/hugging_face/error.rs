//! Why a model could not be read or written.

use std::path::{Path, PathBuf};

/// Why [`read`](super::read) or [`write`](super::write()) failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// A file is damaged, or is not a file of this format.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What an intact file has.
        expected: String,
        /// What this file has.
        got: String,
    },
    /// The model may be valid, but it is not one that this crate can run.
    #[error("{}: {part}: expected {expected}, got {got}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The part of the model, such as an entry of `config.json`.
        part: String,
        /// What this crate supports.
        expected: String,
        /// What the model has.
        got: String,
    },
    /// The sizes of the weights do not fit together, or the kernels do not support them.
    #[error(transparent)]
    Weights(#[from] crate::Error),
    /// The format cannot represent the weights.
    #[error("{part}: expected {expected}, got {got}")]
    Unwritable {
        /// The part of the model.
        part: String,
        /// What the format can represent.
        expected: String,
        /// What the weights have.
        got: String,
    },
}

impl Error {
    /// Creates an [`Error::Malformed`].
    pub(super) fn malformed(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }

    /// Creates an [`Error::Unwritable`].
    pub(super) fn unwritable(part: &str, expected: impl Into<String>, got: impl ToString) -> Self {
        Self::Unwritable { part: part.to_owned(), expected: expected.into(), got: got.to_string() }
    }
}
