use std::path::PathBuf;

/// Errors of opening a tokenizer and of tokenizing a text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is missing or unreadable.
    #[error("open tokenizer {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
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
