use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Why an index could not be made, opened, changed or searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing at this path.
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
    /// The folder holds no index, or another program's.
    #[error("open {}: expected a BM25 index, got {got}", path.display())]
    NotAnIndex {
        /// The folder.
        path: PathBuf,
        /// What is there.
        got: String,
    },
    /// An index is there and was not to be replaced.
    #[error("create {}: expected no index, got one; ask to overwrite it, or open it", path.display())]
    AlreadyExists {
        /// The folder.
        path: PathBuf,
    },
    /// A file of the index is damaged or missing.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Corrupt {
        /// The file, or the folder where the file is not known.
        path: PathBuf,
        /// What a sound index has there.
        expected: String,
        /// What this one has.
        got: String,
    },
    /// The segments have fewer passages than the last commit recorded: a merge by an earlier version applied a deletion
    /// that was never committed.
    #[error(
        "{}: expected {expected} passages, as the last commit says, got {found}: an earlier version merged a deletion that \
         was never committed; `passagekit doctor --repair` or `Bm25Index.repair` brings back what is still there",
        path.display()
    )]
    MissingPassages {
        /// The folder.
        path: PathBuf,
        /// Number of passages that the last commit recorded.
        expected: u64,
        /// Number of passages in the segments.
        found: u64,
    },
    /// The index was written in another version of the format.
    #[error("{}: expected version {expected} of the BM25 index format, got {got}; build it again", path.display())]
    Version {
        /// The folder.
        path: PathBuf,
        /// The version this code reads.
        expected: u32,
        /// The version of the index.
        got: String,
    },
    /// The index was made with an analyzer, or a version of one, that this code does not have: the terms of a query
    /// would not be those of the passages.
    #[error("{}: expected {expected}, got {got}; build it again, or use the release that made it", path.display())]
    AnalyzerVersion {
        /// The folder.
        path: PathBuf,
        /// What this code has.
        expected: String,
        /// The analyzer of the index, and its version.
        got: String,
    },
    /// The index was made with another analyzer than the one it was to be opened with.
    #[error("open {}: expected an index made with the analyzer {expected}, got one made with {got}", path.display())]
    AnalyzerMismatch {
        /// The folder.
        path: PathBuf,
        /// The analyzer asked for, and its options.
        expected: String,
        /// That of the index.
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
    /// A set of changes ended half-way; none of it will be committed.
    #[error("write {}: expected changes that are whole, got some that were interrupted; roll the writer back first", path.display())]
    Interrupted {
        /// The folder.
        path: PathBuf,
    },
    /// A passage with this id is in the index, or was added before.
    #[error("add: expected an id that is new, got \"{id}\" again")]
    DuplicateId {
        /// The id.
        id: String,
    },
    /// Ords are used up: an index takes 2^32 additions in its life.
    #[error("add to {}: expected at most 4294967296 additions since the index was made, got one more", path.display())]
    Full {
        /// The folder.
        path: PathBuf,
    },
    /// No passage has this id, or this ord.
    #[error("{operation}: expected a passage of the index, got {got}")]
    UnknownPassage {
        /// What was asked for.
        operation: &'static str,
        /// The id or ord.
        got: String,
    },
    /// An argument out of its range.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Name of the argument.
        what: &'static str,
        /// What is allowed.
        expected: &'static str,
        /// What came.
        got: String,
    },
    /// A field of a passage, or a part of a filter, that means nothing.
    #[error("{path}: expected {expected}, got {got}")]
    Part {
        /// Where it stands: `passage "p1": fields.year`, `filter.and[1].range`, …
        path: String,
        /// What is allowed.
        expected: Cow<'static, str>,
        /// What came.
        got: String,
    },
    /// The operating system refused.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// What was attempted: `open`, `write`, …
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The index underneath failed in a way that has no name here.
    #[error("{operation} {}: {source}", path.display())]
    Engine {
        /// What was attempted.
        operation: &'static str,
        /// The folder.
        path: PathBuf,
        /// What the engine said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}

impl Error {
    pub(crate) fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { operation, path: path.to_path_buf(), source }
    }

    /// An [`Error::Io`] for a system error of which only the message is known.
    pub(crate) fn refused(operation: &'static str, path: &Path, said: impl Into<String>) -> Self {
        Self::io(operation, path)(std::io::Error::other(said.into()))
    }

    pub(crate) fn corrupt(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }
}
