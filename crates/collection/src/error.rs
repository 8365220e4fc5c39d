//! The crate's error type.

use std::path::{Path, PathBuf};

use serving::Poisoned;

/// Why a collection could not be created, opened, changed or searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no collection in the folder.
    #[error("open {}: expected a collection, got {got}", path.display())]
    NotACollection {
        /// The folder.
        path: PathBuf,
        /// What is there.
        got: String,
    },
    /// The folder is not empty, so no collection can be created there.
    #[error("create {}: expected a new or empty folder, got {got}", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
        /// What is there.
        got: String,
    },
    /// The collection has a version of the format that this release of passagekit cannot read.
    #[error("{}: expected version {expected} of the collection format, got version {got}; build it again", path.display())]
    Version {
        /// The file that records the version.
        path: PathBuf,
        /// The version that this release reads.
        expected: u32,
        /// The version of the collection.
        got: String,
    },
    /// A part of the collection is damaged, or belongs to another collection.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Corrupt {
        /// The file or folder.
        path: PathBuf,
        /// What an intact collection has there.
        expected: String,
        /// What this one has.
        got: String,
    },
    /// Another writer has the collection open.
    #[error("write {}: expected no other writer, got {owner}", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
        /// Who holds the lock, as far as it is known.
        owner: String,
    },
    /// The id of a document is already in the collection, or occurs twice in the same call.
    #[error("{operation}: expected {expected}, got \"{id}\" {place}")]
    DuplicateDocument {
        /// The name of the call, such as `add`.
        operation: &'static str,
        /// What was expected: `documents with new ids` or `each document once`.
        expected: &'static str,
        /// The id.
        id: String,
        /// Says where else the id occurs: `again` (already in the collection) or `twice in one call`.
        place: &'static str,
    },
    /// No document has this id.
    #[error("{operation}: expected a document of the collection, got \"{id}\"")]
    UnknownDocument {
        /// The name of the call, such as `add`.
        operation: &'static str,
        /// The id.
        id: String,
    },
    /// An argument has an invalid value.
    #[error("{message}")]
    Argument {
        /// What was expected and what was passed.
        message: String,
    },
    /// The collection was closed.
    #[error("this collection was closed")]
    Closed,
    /// The operating system could not create a thread.
    #[error("the system could not create a thread for building the graph: {message}")]
    Thread {
        /// The system's message.
        message: String,
    },
    /// The operating system reported an error.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// What was attempted.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A change panicked before it was complete.
    #[error(transparent)]
    Poisoned(#[from] Poisoned),
    /// The BM25 index returned an error.
    #[error(transparent)]
    Sparse(#[from] sparse::Error),
    /// The vector index returned an error.
    #[error(transparent)]
    Dense(#[from] dense::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// Lists could not be fused.
    #[error(transparent)]
    Fusion(#[from] fusion::Error),
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}

impl Error {
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::Argument { message: message.into() }
    }

    pub(crate) fn corrupt(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }

    /// Returns a function that converts an error of the operating system to an [`Error::Io`].
    pub(crate) fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { operation, path, source }
    }
}
