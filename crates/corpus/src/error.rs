//! The errors of this crate.

use std::path::{Path, PathBuf};

/// Why a file or a passage store could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation of the operating system failed.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// The operation: `open`, `read`, `list` or `write`.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A file begins with the magic bytes of gzip, but cannot be decompressed completely.
    #[error("{}: expected complete gzip data, got {source}", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
        /// The error of the decompressor.
        source: std::io::Error,
    },
    /// A line, or the JSON item or table row that begins on the line, is invalid. Readers can skip such lines.
    #[error("{}:{line}: expected {expected}, got {got}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line number from 1.
        line: u64,
        /// What a valid line has.
        expected: String,
        /// What this line has.
        got: String,
    },
    /// A file does not have the expected format.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What a valid file has.
        expected: String,
        /// What this file has.
        got: String,
    },
    /// An argument is invalid, or a passage, question, hit or judgment cannot be written.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// The name of the argument, or what cannot be written.
        what: &'static str,
        /// Which values are valid.
        expected: String,
        /// The value.
        got: String,
    },
    /// A passage has the id of an earlier passage of the store.
    #[error(
        "passage {position} (counted from 0): expected an id that no earlier passage has, got \"{id}\" again"
    )]
    Duplicate {
        /// Position of the refused passage, from 0.
        position: u32,
        /// The id.
        id: String,
    },
    /// A passage store could not be opened or is corrupt, or an output file could not be created or replaced.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The options for splitting documents are invalid.
    #[error(transparent)]
    Text(#[from] text::Error),
    /// The caller canceled the call.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}

impl Error {
    pub(crate) fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { operation, path: path.to_path_buf(), source }
    }

    pub(crate) fn line(path: &Path, line: u64, expected: impl Into<String>, got: impl Into<String>) -> Self {
        let (expected, got) = (shortened(expected.into()), shortened(got.into()));
        Self::Line { path: path.to_path_buf(), line, expected, got }
    }

    pub(crate) fn format(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Format {
            path: path.to_path_buf(),
            expected: shortened(expected.into()),
            got: shortened(got.into()),
        }
    }

    pub(crate) fn argument(what: &'static str, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Argument { what, expected: shortened(expected.into()), got: shortened(got.into()) }
    }
}

/// Quotes a value for an error message, with escapes. Cuts the value after 60 characters.
pub(crate) fn quoted(value: &str) -> String {
    match value.char_indices().nth(60) {
        None => format!("{value:?}"),
        Some((end, _)) => format!("{:?}…", &value[..end]),
    }
}

/// Maximum number of characters of each of the two parts of a message: what was expected, and what was found. Parsers
/// quote invalid input, which can be megabytes long.
const MAX_PART_CHARS: usize = 600;

/// Cuts a part of a message after [`MAX_PART_CHARS`].
fn shortened(mut part: String) -> String {
    if let Some((end, _)) = part.char_indices().nth(MAX_PART_CHARS) {
        part.truncate(end);
        part.push('…');
        part.shrink_to_fit();
    }
    part
}
