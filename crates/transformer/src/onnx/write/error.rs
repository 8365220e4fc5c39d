//! Why a model could not be written.

/// Maximum number of bytes of a Protocol Buffers message.
pub(super) const MAX_BYTES: usize = i32::MAX as usize;

/// Why [`write`](super::write()) failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The sizes of the weights do not fit together.
    #[error(transparent)]
    Weights(#[from] crate::Error),
    /// A model without outputs, or an output with a name that cannot be used.
    #[error("outputs: expected {expected}, got {got}")]
    Output {
        /// What was expected.
        expected: String,
        /// What the weights have.
        got: String,
    },
    /// The file would be larger than the format allows.
    #[error("ONNX file: expected at most {} bytes, the limit of the format, got {bytes}", MAX_BYTES)]
    TooLarge {
        /// The number of bytes that the file would have at least.
        bytes: usize,
    },
    /// The file could not be written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}
