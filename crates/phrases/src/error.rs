//! The crate's error type.

/// Why a text could not be cut into phrases.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option has an invalid value.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Name of the option.
        what: &'static str,
        /// The values that are valid.
        expected: &'static str,
        /// The invalid value.
        got: String,
    },
    /// The model's tokenizer failed on a text.
    #[error(transparent)]
    Tokenize(#[from] tokenize::Error),
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}
