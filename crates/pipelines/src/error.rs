//! The crate's error type.

/// Why work of several features failed: usually the error of one of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument has an invalid value.
    #[error("{message}")]
    Argument {
        /// What was expected and what was passed.
        message: String,
    },
    /// The reader was closed, and the cache lacks a reading.
    #[error("this reader was closed")]
    ReaderClosed,
    /// The cache has readings of another reader, or with other limits.
    #[error("readRun: expected a cache of readings of {expected}, got one of {got}")]
    OtherReader {
        /// Identity of the reader.
        expected: String,
        /// Identity of the reader whose readings the cache has.
        got: String,
    },
    /// Passages could not be read.
    #[error(transparent)]
    Corpus(#[from] corpus::Error),
    /// A vector index could not be built.
    #[error(transparent)]
    Dense(#[from] dense::Error),
    /// A model could not be run.
    #[error(transparent)]
    Inference(#[from] inference::Error),
    /// The ids of a run's passages could not be read.
    #[error(transparent)]
    Ranking(#[from] ranking::Error),
    /// Readings could not be stored or scored.
    #[error(transparent)]
    Reading(#[from] reading::Error),
    /// A BM25 index could not be changed.
    #[error(transparent)]
    Sparse(#[from] sparse::Error),
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}
