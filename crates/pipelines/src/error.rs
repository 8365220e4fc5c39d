//! The crate's error type.

/// Why a pipeline failed: usually the error of one of the crates that it uses.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument has an invalid value.
    #[error("{message}")]
    Argument {
        /// What was expected and what was passed.
        message: String,
    },
    /// The reader has been closed, and a reading that is needed is not in a cache.
    #[error("this reader was closed")]
    ReaderClosed,
    /// The cache has readings of a different reader, or readings with different limits.
    #[error("readRun: expected a cache of readings of {expected}, got one of {got}")]
    OtherReader {
        /// Identity of the reader and its limits.
        expected: String,
        /// Identity of the reader and the limits with which the readings in the cache were made.
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
    /// A file of a model could not be read or written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// A text could not be tokenized.
    #[error(transparent)]
    Tokenize(#[from] tokenize::Error),
    /// A model could not be trained.
    #[error(transparent)]
    Training(#[from] training::Error),
    /// A model in the format of Hugging Face could not be read or written.
    #[error(transparent)]
    HuggingFace(#[from] transformer::hugging_face::Error),
    /// An ONNX file could not be read.
    #[error(transparent)]
    Onnx(#[from] transformer::onnx::Error),
    /// An ONNX file could not be written.
    #[error(transparent)]
    WriteOnnx(#[from] transformer::onnx::WriteError),
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}
