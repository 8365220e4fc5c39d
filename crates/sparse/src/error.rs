//! The errors of this crate. Their messages name the file or argument, what was expected, and what was found.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Why an index could not be created, opened, changed or searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path does not exist.
    #[error("open {}: expected a folder with a BM25 index, got no such folder", path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// The path is a file.
    #[error("open {}: expected a folder with a BM25 index, got a file", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// The folder contains no index, or an index of another program.
    #[error("open {}: expected a BM25 index, got {got}", path.display())]
    NotAnIndex {
        /// The folder.
        path: PathBuf,
        /// What the folder contains.
        got: String,
    },
    /// The folder already has an index, and the caller did not ask to overwrite it.
    #[error("create {}: expected no index, got one; ask to overwrite it, or open it", path.display())]
    AlreadyExists {
        /// The folder.
        path: PathBuf,
    },
    /// A file of the index is corrupt or missing.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Corrupt {
        /// The file, or the folder if it is not known which file is corrupt.
        path: PathBuf,
        /// What an intact index has there.
        expected: String,
        /// What this index has there.
        got: String,
    },
    /// The index has another version of the index format.
    #[error("{}: expected version {expected} of the BM25 index format, got {got}; build it again", path.display())]
    Version {
        /// The folder.
        path: PathBuf,
        /// The version that this release reads.
        expected: u32,
        /// The version of the index.
        got: String,
    },
    /// The index was built with an analyzer, or a version of an analyzer, that this release does not have. Queries
    /// would be analyzed differently from the passages.
    #[error("{}: expected {expected}, got {got}; build it again, or use the release that made it", path.display())]
    AnalyzerVersion {
        /// The folder.
        path: PathBuf,
        /// What this release has.
        expected: String,
        /// The analyzer of the index, and its version.
        got: String,
    },
    /// The index was built with an analyzer that differs from the one that the caller expects.
    #[error("open {}: expected an index made with the analyzer {expected}, got one made with {got}", path.display())]
    AnalyzerMismatch {
        /// The folder.
        path: PathBuf,
        /// The expected analyzer and its options.
        expected: String,
        /// The analyzer of the index.
        got: String,
    },
    /// A model's tokenizer could not be read.
    #[error(transparent)]
    Tokenizer(#[from] tokenize::Error),
    /// Another writer has the index open, in this process or another.
    #[error("write {}: expected no other writer, got one that holds the lock", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The changes since the last commit are incomplete. They cannot be committed, only rolled back.
    #[error("write {}: expected a complete set of changes, got an interrupted one; roll the writer back first", path.display())]
    Interrupted {
        /// The folder.
        path: PathBuf,
    },
    /// The index already has a passage with this id, or one with this id was added since the last commit.
    #[error("add: expected an id that is new, got \"{id}\" again")]
    DuplicateId {
        /// The id.
        id: String,
    },
    /// There are no ords (32-bit passage numbers) left: at most 2^32 − 1 passages can be added to an index, including
    /// deleted ones.
    #[error("add to {}: expected at most 4294967295 additions since the index was created, got one more", path.display())]
    Full {
        /// The folder.
        path: PathBuf,
    },
    /// No passage has this id or ord.
    #[error("{operation}: expected a passage of the index, got {got}")]
    UnknownPassage {
        /// What was attempted.
        operation: &'static str,
        /// The id or ord.
        got: String,
    },
    /// The text of a passage cannot be read back, because the passage was not added with
    /// [`IndexWriter::put_stored`](crate::IndexWriter::put_stored), which stores the text.
    #[error("passage: expected a passage whose text is stored, got {got}")]
    NotStored {
        /// The ord and the id.
        got: String,
    },
    /// An argument is invalid.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// The name of the argument.
        what: &'static str,
        /// What is allowed.
        expected: &'static str,
        /// What was passed.
        got: String,
    },
    /// A field of a passage, or a part of a filter, is invalid.
    #[error("{path}: expected {expected}, got {got}")]
    Part {
        /// Where the invalid value is: `passage "p1": fields.year`, `filter.and[1].range`, …
        path: String,
        /// What is allowed.
        expected: Cow<'static, str>,
        /// What was passed.
        got: String,
    },
    /// The operating system reported an error.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// What was attempted: `open`, `write`, …
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// tantivy or our part of a merge failed unexpectedly. This is a bug.
    #[error("{operation} {}: {source}", path.display())]
    Engine {
        /// What was attempted.
        operation: &'static str,
        /// The folder.
        path: PathBuf,
        /// The underlying error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}

impl Error {
    pub(crate) fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { operation, path: path.to_path_buf(), source }
    }

    /// Returns an [`Error::Io`] for an error of the operating system, given only its message.
    pub(crate) fn io_message(operation: &'static str, path: &Path, message: impl Into<String>) -> Self {
        Self::io(operation, path)(std::io::Error::other(message.into()))
    }

    pub(crate) fn corrupt(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }
}
