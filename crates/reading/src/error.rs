//! The crate's error type.

use std::path::PathBuf;

/// Why readings could not be scored, stored or loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has an invalid value.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Name of the parameter.
        what: &'static str,
        /// The values that are valid.
        expected: &'static str,
        /// The invalid value.
        got: String,
    },
    /// The arrays of a passage's window have different lengths.
    #[error("passage {passage}: expected {expected} tokens in every array, got {got}")]
    Shape {
        /// Index of the passage, from 0.
        passage: usize,
        /// Length of the array of word indexes.
        expected: usize,
        /// Length of the array that differs.
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
        /// Identity of the reader for which the file was opened.
        expected: String,
        /// Identity of the reader that computed the readings in the file.
        got: String,
    },
    /// The cache is open elsewhere, in this process or another.
    #[error("{}: expected a cache of readings that is not open elsewhere, got one in use", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The cache could not be read or written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}
