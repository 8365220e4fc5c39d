//! The crate's error type.

/// Why lists could not be fused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has an invalid value.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// The parameter.
        what: &'static str,
        /// The values that it may have.
        expected: String,
        /// The value that it has.
        got: String,
    },
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}
