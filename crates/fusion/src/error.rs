/// Why lists were not fused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter that has no meaning.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which parameter.
        what: &'static str,
        /// What it may be.
        expected: String,
        /// What it was.
        got: String,
    },
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}
