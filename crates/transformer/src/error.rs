//! The crate's error type.

/// Why weights are not those of a model, or why texts were not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The sizes of the weights do not fit together.
    #[error("{what}: expected {expected}, got {got}")]
    Weights {
        /// The part of the model.
        what: String,
        /// What was expected.
        expected: String,
        /// What the weights have.
        got: String,
    },
    /// A text has no tokens, too many tokens, or a token id or type for which the model has no embedding.
    #[error("text {text}: expected {expected}, got {got}")]
    Text {
        /// Number of the text in the call, from 0.
        text: usize,
        /// What was expected.
        expected: String,
        /// What the text has.
        got: String,
    },
    /// The run was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}
