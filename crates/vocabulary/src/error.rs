use std::path::{Path, PathBuf};

/// Why a head was not opened, or vectors were not projected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// What was attempted: `open`, `read`.
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The files are no masked-language-model head, or damaged.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Format {
        /// The file or folder.
        path: PathBuf,
        /// What a good one has.
        expected: String,
        /// What this one has.
        got: String,
    },
    /// Vectors of another length than the head's.
    #[error("{operation}: expected vectors of dimension {expected}, got {got} values")]
    Dimension {
        /// What was attempted.
        operation: &'static str,
        /// The head's dimension.
        expected: usize,
        /// How many values came.
        got: usize,
    },
    /// An argument that has no meaning.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which argument.
        what: String,
        /// What it may be.
        expected: String,
        /// What it was.
        got: String,
    },
    /// The system could not create threads.
    #[error(transparent)]
    Threads(#[from] threads::Error),
    /// Enrichments of another head, or found with other options.
    #[error("{}: expected enrichments of {expected}, got those of {got}", path.display())]
    OtherEnrichments {
        /// The file.
        path: PathBuf,
        /// The head and the options that were asked for.
        expected: String,
        /// Those of the file.
        got: String,
    },
    /// A file of enrichments could not be opened or saved.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}

impl Error {
    pub(crate) fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { operation, path: path.to_path_buf(), source }
    }

    pub(crate) fn argument(
        what: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Self {
        Self::Argument { what: what.into(), expected: expected.into(), got: got.into() }
    }

    pub(crate) fn format(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Format { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }
}
