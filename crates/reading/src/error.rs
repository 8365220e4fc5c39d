//! The crate's error type.

use std::path::PathBuf;

/// Why readings could not be scored, stored or opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has an invalid value.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// The parameter.
        what: &'static str,
        /// The values that it may have.
        expected: &'static str,
        /// The value that it has.
        got: String,
    },
    /// The arrays of a passage have different lengths.
    #[error("passage {passage}: expected {expected} tokens in every array, got {got}")]
    Shape {
        /// Position of the passage.
        passage: usize,
        /// Length of the array of word numbers.
        expected: usize,
        /// Length of another array.
        got: usize,
    },
    /// The system could not create threads.
    #[error(transparent)]
    Threads(#[from] threads::Error),
    /// The cache belongs to another reader, or to a reader with other settings.
    #[error("{}: expected readings of {expected}, got those of {got}", path.display())]
    OtherReader {
        /// The file.
        path: PathBuf,
        /// Identity of the reader that opens the file.
        expected: String,
        /// Identity of the reader whose readings the file has.
        got: String,
    },
    /// The cache is open elsewhere.
    #[error("{}: expected a cache of readings that nobody else has open, got one that is in use", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The cache could not be read or written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}
