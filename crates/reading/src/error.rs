use std::path::PathBuf;

/// Why passages were not read, or what was said of them not kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter that has no meaning.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which parameter.
        what: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it was.
        got: String,
    },
    /// Arrays of one passage that do not belong together.
    #[error("passage {passage}: expected {expected} tokens in every array, got {got}")]
    Shape {
        /// Position of the passage.
        passage: usize,
        /// Length of the first array.
        expected: usize,
        /// Another length.
        got: usize,
    },
    /// The system could not create threads.
    #[error("threads: expected {expected} threads, got {got}")]
    Threads {
        /// Number of requested threads; 0 means one per CPU.
        expected: usize,
        /// The system's error message.
        got: String,
    },
    /// A cache of readings of another reader, or of other settings.
    #[error("{}: expected readings of {expected}, got those of {got}", path.display())]
    OtherReader {
        /// The file.
        path: PathBuf,
        /// The reader at hand.
        expected: String,
        /// The reader whose readings the file has.
        got: String,
    },
    /// A cache that somebody else has open.
    #[error("{}: expected a cache of readings that nobody else has open, got one that is in use", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A cache that cannot be read or written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The work was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}
