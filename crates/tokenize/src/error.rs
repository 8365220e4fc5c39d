use std::path::PathBuf;

/// Why a text was not tokenised.
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
    /// The file is not a tokenizer that models of this kind use.
    #[error("tokenizer {}: expected {expected}, got {got}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What was needed.
        expected: &'static str,
        /// What was there.
        got: String,
    },
    /// The tokenizer failed on a text.
    #[error("tokenise a text of {length} bytes: {message}")]
    Tokenise {
        /// Bytes of the text.
        length: usize,
        /// What the tokenizer said.
        message: String,
    },
}
