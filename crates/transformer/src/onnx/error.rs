//! Why a file could not be read as a model of this crate.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why [`read`](super::read) failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file, or a file with values of its tensors, could not be read.
    #[error("read model {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is not an ONNX file, or it is damaged.
    #[error("model {}: expected {expected}, got {got}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What an intact file has.
        expected: String,
        /// What this file has.
        got: String,
    },
    /// The file may be a valid ONNX file, but its graph is not one that this crate can run. ONNX Runtime may run it.
    #[error("model {}: {reason}", path.display())]
    Unrecognized {
        /// The file.
        path: PathBuf,
        /// The part of the graph that differs.
        reason: Unrecognized,
    },
}

impl Error {
    /// Creates an [`Error::Malformed`].
    pub(super) fn malformed(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_path_buf(), expected: expected.into(), got: got.into() }
    }
}

/// Why a graph is not one that this crate can run: the first part of it that differs from what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrecognized {
    /// A node with its operator, or another part of the graph.
    pub place: String,
    /// What was expected there.
    pub expected: String,
    /// What is there; empty if `place` already says it.
    pub got: String,
}

impl Unrecognized {
    /// Creates the reason. `got` may be empty.
    pub(super) fn new(place: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self { place: place.into(), expected: expected.into(), got: got.into() }
    }
}

impl fmt::Display for Unrecognized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}", self.place, self.expected)?;
        if self.got.is_empty() { Ok(()) } else { write!(f, ", got {}", self.got) }
    }
}
