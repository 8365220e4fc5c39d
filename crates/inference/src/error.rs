//! The crate's error type.

use std::path::{Path, PathBuf};

/// Why a model could not be opened or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The ONNX Runtime library could not be loaded.
    #[error("load ONNX Runtime from {}: {message}", path.display())]
    Library {
        /// The library's file.
        path: PathBuf,
        /// Why it could not be loaded.
        message: String,
    },
    /// The model needs ONNX Runtime, and there is no library.
    #[error("model {} needs ONNX Runtime, because passagekit cannot run its graph ({reason}); {why}", path.display())]
    NoLibrary {
        /// The model's file.
        path: PathBuf,
        /// Why the crate `transformer` cannot run it.
        reason: String,
        /// Why there is no library.
        why: String,
    },
    /// The model's file could not be opened.
    #[error("open model {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is not a model, or the model has inputs, outputs or values that this crate does not support.
    #[error("model {}: expected {expected}, got {got}", path.display())]
    Model {
        /// The model's file.
        path: PathBuf,
        /// What a supported model has.
        expected: String,
        /// What this model has.
        got: String,
    },
    /// The model could not be run.
    #[error("run model {}: {message}", path.display())]
    Run {
        /// The model's file.
        path: PathBuf,
        /// Why it failed.
        message: String,
    },
    /// An argument has an invalid value.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Name of the argument.
        what: &'static str,
        /// The values that are valid.
        expected: String,
        /// The value that was passed.
        got: String,
    },
    /// A text could not be tokenized.
    #[error(transparent)]
    Tokenize(#[from] tokenize::Error),
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}

impl Error {
    /// Creates an [`Error::Model`].
    pub(crate) fn model(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Model { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }
}
