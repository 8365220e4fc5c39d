/// Why a text was not cut into phrases.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option that has no meaning.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which option.
        what: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it was.
        got: String,
    },
    /// The model's tokenizer failed on a text.
    #[error(transparent)]
    Tokenize(#[from] tokenize::Error),
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}
