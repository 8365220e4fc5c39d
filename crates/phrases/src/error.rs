/// Errors of cutting a text into phrases.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An invalid option.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which option.
        what: &'static str,
        /// Which values are valid.
        expected: &'static str,
        /// The value.
        got: String,
    },
    /// The model's tokenizer failed on a text.
    #[error(transparent)]
    Tokenize(#[from] tokenize::Error),
    /// The work was canceled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}
