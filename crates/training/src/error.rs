//! The crate's error type.

/// Why a model cannot be trained, or why training stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The weights are not those of a model that can be trained.
    #[error("{what}: expected {expected}, got {got}")]
    Model {
        /// The part of the model.
        what: &'static str,
        /// What was expected.
        expected: String,
        /// What the model has.
        got: String,
    },
    /// The weights of a model do not fit together.
    #[error(transparent)]
    Weights(#[from] transformer::Error),
    /// A batch cannot be used.
    #[error("{what}: expected {expected}, got {got}")]
    Batch {
        /// The part of the batch.
        what: String,
        /// What was expected.
        expected: String,
        /// What the batch has.
        got: String,
    },
    /// An option has no valid value.
    #[error("{option}: expected {expected}, got {got}")]
    Option {
        /// The option.
        option: &'static str,
        /// What was expected.
        expected: &'static str,
        /// Its value.
        got: String,
    },
    /// The loss, the norm of the gradients, a parameter, a vector or a logit is infinite or not a number. If it is the
    /// loss or the norm, the parameters are those before the step.
    #[error("step {step}: expected a finite {what}, got {got}; the learning rate may be too high")]
    NotFinite {
        /// Number of the step, from 1.
        step: u64,
        /// What is not finite.
        what: &'static str,
        /// Its value.
        got: f32,
    },
    /// A checkpoint has another number of models, or models of another shape.
    #[error("checkpoint: expected {expected}, got {got}")]
    Checkpoint {
        /// What was expected.
        expected: String,
        /// What the file has.
        got: String,
    },
    /// The operation was canceled. The parameters are those before the step.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
    /// The system could not create threads.
    #[error(transparent)]
    Threads(#[from] threads::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}
