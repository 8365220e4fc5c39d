//! Errors of calls on a shared index.

use std::path::PathBuf;

use crate::scheduling::Poisoned;

/// Why a call on a shared index failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument has an invalid value.
    #[error("{message}")]
    Argument {
        /// What was expected and what was passed.
        message: String,
    },
    /// A phrase was passed twice.
    #[error("{operation}: expected distinct phrases of \"{passage}\", got a repeated one at row {row}")]
    DuplicatePhrase {
        /// The call: `add` or `update`.
        operation: &'static str,
        /// The passage that the phrase is a part of.
        passage: String,
        /// Position of the phrase's second appearance in the list of ids.
        row: usize,
    },
    /// An earlier change panicked before it was complete.
    #[error(transparent)]
    Poisoned(#[from] Poisoned),
    /// The index refused a row of a file.
    #[error("{}: {source}", path.display())]
    File {
        /// The file of vectors.
        path: PathBuf,
        /// The reason. Row numbers in this error are positions in the file, from 0.
        source: dense::Error,
    },
    /// The index refused a vector, an id or an option.
    #[error(transparent)]
    Dense(#[from] dense::Error),
    /// A file of vectors could not be read or written.
    #[error(transparent)]
    Vectors(#[from] vectors::Error),
    /// A file could not be written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// Hits could not be collected into a run.
    #[error(transparent)]
    Ranking(#[from] ranking::Error),
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}

impl Error {
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::Argument { message: message.into() }
    }
}
