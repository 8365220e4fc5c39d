//! The errors of this crate.

use std::path::PathBuf;

/// Why a tokenizer could not be opened, or a text could not be tokenized.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is missing or unreadable.
    #[error("open tokenizer {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is not a supported tokenizer.
    #[error("tokenizer {}: expected {expected}, got {got}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        got: String,
    },
    /// The tokenizer failed on a text.
    #[error("tokenize a text of {length} bytes: {message}")]
    Tokenize {
        /// Length of the text in bytes.
        length: usize,
        /// The message of the tokenizer.
        message: String,
    },
}
