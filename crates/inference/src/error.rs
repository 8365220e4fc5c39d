use std::path::{Path, PathBuf};

/// Why a model could not be opened or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The ONNX Runtime library did not load.
    #[error("load ONNX Runtime from {}: {message}", path.display())]
    Library {
        /// The library file.
        path: PathBuf,
        /// What the loader said.
        message: String,
    },
    /// The model file is missing or a folder.
    #[error("open model {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The model file is not one that can be used here.
    #[error("model {}: expected {expected}, got {got}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// What was needed.
        expected: String,
        /// What was there.
        got: String,
    },
    /// The runtime failed on an input.
    #[error("run model {}: {message}", path.display())]
    Run {
        /// The model's file.
        path: PathBuf,
        /// What the runtime said.
        message: String,
    },
    /// An argument that no model can serve.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which argument.
        what: &'static str,
        /// What it may be.
        expected: String,
        /// What it was.
        got: String,
    },
    /// A text was not tokenised.
    #[error(transparent)]
    Tokenize(#[from] tokenize::Error),
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}

impl Error {
    pub(crate) fn model(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Model { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }
}
