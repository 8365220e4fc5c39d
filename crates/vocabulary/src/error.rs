//! The crate's error type.

use std::path::{Path, PathBuf};

/// Why a head could not be opened, or vectors could not be projected or enriched.
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
        /// The system's error.
        source: std::io::Error,
    },
    /// A file has no masked-language-model head, or is damaged.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Format {
        /// The file or folder.
        path: PathBuf,
        /// What a valid file has.
        expected: String,
        /// What this file has.
        got: String,
    },
    /// The number of values is not a multiple of the head's dimension.
    #[error("{operation}: expected vectors of dimension {expected}, got {got} values")]
    Dimension {
        /// The operation: `project`.
        operation: &'static str,
        /// The head's dimension.
        expected: usize,
        /// Number of values.
        got: usize,
    },
    /// An argument has an invalid value.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// The argument.
        what: String,
        /// The values that it may have.
        expected: String,
        /// The value that it has.
        got: String,
    },
    /// A tokenizer has more word pieces than the head has tokens.
    #[error(
        "projection: expected a tokenizer with at most {tokens} word pieces, one per token of the head, got {pieces}"
    )]
    Vocabulary {
        /// Number of tokens of the head.
        tokens: usize,
        /// Number of word pieces of the tokenizer.
        pieces: usize,
    },
    /// A text could not be tokenized.
    #[error(transparent)]
    Tokenize(#[from] tokenize::Error),
    /// The system could not create threads.
    #[error(transparent)]
    Threads(#[from] threads::Error),
    /// A file has enrichments of another head, or enrichments that were found with other options.
    #[error("{}: expected enrichments of {expected}, got those of {got}", path.display())]
    OtherEnrichments {
        /// The file.
        path: PathBuf,
        /// The requested head and options.
        expected: String,
        /// The head and options of the file.
        got: String,
    },
    /// A file of enrichments could not be read or written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
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
