use std::path::{Path, PathBuf};

/// Why a file of vectors was not read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// What was attempted: `open`, `read`.
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is of another format, damaged, or holds something else than vectors.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What a good file has.
        expected: String,
        /// What this one has.
        got: String,
    },
    /// Vectors of another length than asked for.
    #[error("{}: expected vectors of dimension {expected}, got {got}", path.display())]
    Dimension {
        /// The file.
        path: PathBuf,
        /// The dimension asked for.
        expected: usize,
        /// The file's.
        got: usize,
    },
    /// Not one id for each vector.
    #[error("{}: expected one id for each of {expected} vectors, got {got} ids", path.display())]
    Count {
        /// The file of vectors, or that of ids.
        path: PathBuf,
        /// How many vectors there are.
        expected: u64,
        /// How many ids there are.
        got: u64,
    },
    /// An option that has no meaning for the file.
    #[error("{name}: expected {expected}, got {got}")]
    Option {
        /// Its name.
        name: &'static str,
        /// What it may be.
        expected: String,
        /// What it was.
        got: String,
    },
    /// A file could not be written.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl Error {
    pub(crate) fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { operation, path: path.to_path_buf(), source }
    }

    pub(crate) fn format(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Format { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }
}
