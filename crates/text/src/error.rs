//! The crate's error type.

/// Errors for invalid options, patterns and offsets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An invalid option.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which option.
        what: &'static str,
        /// Which values are valid.
        expected: String,
        /// The invalid value.
        got: String,
    },
    /// An answer pattern that is not a valid regular expression.
    #[error("answer pattern: expected a regular expression, got '{pattern}' ({reason})")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Why it is invalid.
        reason: String,
    },
    /// A byte offset that is inside a character or beyond the text.
    #[error("byte offset: expected a character's start or the end of a text of {bytes} bytes, got {offset}")]
    Offset {
        /// The offset.
        offset: usize,
        /// Length of the text in bytes.
        bytes: usize,
    },
}
