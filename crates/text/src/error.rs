/// Why a text, a pattern or an option was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option that has no meaning.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which option.
        what: &'static str,
        /// What it may be.
        expected: String,
        /// What it was.
        got: String,
    },
    /// An answer pattern that is no regular expression.
    #[error("answer pattern: expected a regular expression, got '{pattern}' ({reason})")]
    Pattern {
        /// The pattern as it was given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A byte offset that is not between two characters of the text.
    #[error("byte offset: expected a character's start or the end of a text of {bytes} bytes, got {offset}")]
    Offset {
        /// The offset asked for.
        offset: usize,
        /// Length of the text.
        bytes: usize,
    },
}
