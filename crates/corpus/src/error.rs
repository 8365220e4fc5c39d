use std::path::{Path, PathBuf};

/// Why a file of passages, questions, hits or grades was not read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// What was attempted: `open`, `read`, `list`, `write`.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that begins as gzip does and cannot be decompressed to its end.
    #[error("{}: expected whole gzip data, got {source}", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
        /// What the decompressor said.
        source: std::io::Error,
    },
    /// A line, or the item that begins on it, is not what its format says. Readers can skip these.
    #[error("{}:{line}: expected {expected}, got {got}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line number from 1.
        line: u64,
        /// What a good line has.
        expected: String,
        /// What this one has.
        got: String,
    },
    /// A file as a whole is not of the format.
    #[error("{}: expected {expected}, got {got}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What a good file has.
        expected: String,
        /// What this one has.
        got: String,
    },
    /// An argument or a record to write that has no meaning.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which one.
        what: &'static str,
        /// What it may be.
        expected: String,
        /// What it was.
        got: String,
    },
    /// A passage whose id is in the store already.
    #[error("passage {position}: expected an id that no earlier passage has, got \"{id}\" again")]
    Duplicate {
        /// Position of the refused passage, from 0.
        position: u32,
        /// The id.
        id: String,
    },
    /// A checked file could not be opened or saved.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// A document could not be split.
    #[error(transparent)]
    Text(#[from] text::Error),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}

impl Error {
    pub(crate) fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { operation, path: path.to_path_buf(), source }
    }

    pub(crate) fn line(path: &Path, line: u64, expected: impl Into<String>, got: impl Into<String>) -> Self {
        let (expected, got) = (brief(expected.into()), brief(got.into()));
        Self::Line { path: path.to_path_buf(), line, expected, got }
    }

    pub(crate) fn format(path: &Path, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Format { path: path.to_path_buf(), expected: brief(expected.into()), got: brief(got.into()) }
    }

    pub(crate) fn argument(what: &'static str, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Argument { what, expected: brief(expected.into()), got: brief(got.into()) }
    }
}

/// A value as an error message shows it: quoted, escaped, its first 60 characters.
pub(crate) fn shown(value: &str) -> String {
    match value.char_indices().nth(60) {
        None => format!("{value:?}"),
        Some((end, _)) => format!("{:?}…", &value[..end]),
    }
}

/// Maximum number of characters of one part of a message. Parsers quote invalid input, which can be megabytes long.
const MAX_MESSAGE: usize = 600;

fn brief(mut message: String) -> String {
    if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE) {
        message.truncate(end);
        message.push('…');
        message.shrink_to_fit();
    }
    message
}
