//! The crate's error type.

/// Why a run could not be made, or the ids of its hits could not be looked up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two queries of a run have the same id.
    #[error("queries: expected distinct ids, got \"{query}\" twice")]
    DuplicateQuery {
        /// The query id.
        query: String,
    },
    /// The ids of passages could not be looked up. Contains the error of the [`PassageIds`](crate::PassageIds).
    #[error(transparent)]
    Ids(Box<dyn std::error::Error + Send + Sync>),
}
