//! The errors of runs.

/// Why a run could not be made, or why the ids of its hits could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two queries of a run have the same id.
    #[error("queries: expected distinct ids, got \"{query}\" twice")]
    DuplicateQuery {
        /// The id.
        query: String,
    },
    /// The ids of passages could not be read.
    #[error(transparent)]
    Ids(Box<dyn std::error::Error + Send + Sync>),
}
