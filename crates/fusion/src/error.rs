//! The crate's error type.

/// Why lists could not be fused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has an invalid value.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Name of the parameter.
        what: &'static str,
        /// The values that are valid.
        expected: String,
        /// The invalid value.
        got: String,
    },
    /// The ids of a run's passages could not be read, or two queries of a run have the same id.
    #[error(transparent)]
    Ranking(#[from] ranking::Error),
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}
