//! Converts tantivy's errors to this crate's. It distinguishes corrupt files ([`Error::Corrupt`]), failures of the
//! operating system ([`Error::Io`]) and bugs ([`Error::Engine`]), which tantivy's error types mix.

use std::path::Path;

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

use crate::Error;
use crate::index::corruption::repair_hint;

/// Name prefix of the threads in which tantivy writes segments.
const INDEXING_THREADS: &str = "thrd-tantivy-index";

/// Converts an error of tantivy. `path` is the folder of the index. If tantivy's error names a file, the result has
/// that file's path.
pub(crate) fn tantivy_error(operation: &'static str, path: &Path, error: TantivyError) -> Error {
    let corrupt = |expected: &str, got: String| Error::corrupt(path, expected, got);
    match error {
        TantivyError::LockFailure(LockError::LockBusy, _) => Error::Locked { path: path.to_path_buf() },
        TantivyError::LockFailure(LockError::IoError(error), _) => io(operation, path, &error),
        TantivyError::DataCorruption(damage) => corrupt("intact index files", format!("{damage:?}")),
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_)) if !path.is_dir() => {
            Error::io(operation, path)(std::io::ErrorKind::NotFound.into())
        }
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(file)) => {
            let got = format!("no such file{}", repair_hint(&file));
            Error::corrupt(&path.join(file), "a file of the index", got)
        }
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath }) => {
            io(operation, &path.join(filepath), &io_error)
        }
        TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, filepath }) => {
            io(operation, &path.join(filepath), &io_error)
        }
        TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error, .. }) => {
            io(operation, path, &io_error)
        }
        TantivyError::IncompatibleIndex(what)
        | TantivyError::OpenReadError(OpenReadError::IncompatibleIndex(what)) => Error::Version {
            path: path.to_path_buf(),
            expected: crate::index::commit_payload::VERSION,
            got: format!("files of another version of tantivy: {what:?}"),
        },
        TantivyError::OpenDirectoryError(OpenDirectoryError::DoesNotExist(_)) => {
            Error::NotFound { path: path.to_path_buf() }
        }
        TantivyError::OpenDirectoryError(OpenDirectoryError::NotADirectory(_)) => {
            Error::NotAFolder { path: path.to_path_buf() }
        }
        TantivyError::IoError(error) => io(operation, path, &error),
        error @ (TantivyError::SchemaError(_)
        | TantivyError::FieldNotFound(_)
        | TantivyError::DeserializeError(_)
        | TantivyError::MissingPlugin(_)
        | TantivyError::UnexpectedPlugin(_)) => corrupt("a consistent index", error.to_string()),
        // Our part of a merge reports its own panics differently (`report_bugs`), so this one is tantivy's: it does not
        // validate the files that it merges.
        TantivyError::SystemError(text) if text.starts_with("Merge thread panicked") => {
            corrupt("intact index files", format!("a panic while merging them: {text}"))
        }
        error => match os_error_code(&error.to_string()) {
            Some(code) => {
                let source = std::io::Error::from_raw_os_error(code);
                Error::Io { operation, path: path.to_path_buf(), source }
            }
            None => unknown_cause(operation, path, error),
        },
    }
}

/// Converts an error that does not state its cause. If a thread of tantivy ended without a panic, the cause was an
/// error of the operating system, whose message tantivy may have dropped if there were several threads.
fn unknown_cause(operation: &'static str, path: &Path, error: TantivyError) -> Error {
    let internal = |source| Error::Engine { operation, path: path.to_path_buf(), source };
    match &error {
        TantivyError::ErrorInThread(_) => match panics::last_of(INDEXING_THREADS) {
            Some(panic) => internal(format!("{error}: {panic}").into()),
            None => Error::io_message(operation, path, error.to_string()),
        },
        TantivyError::SystemError(text) if text.starts_with("Failed to spawn") => {
            Error::io_message(operation, path, format!("the system could not start a thread: {text}"))
        }
        _ => internal(Box::new(error)),
    }
}

/// Converts an I/O error, which may come from the operating system or may be about the content of a file.
fn io(operation: &'static str, path: &Path, error: &std::io::Error) -> Error {
    use std::io::ErrorKind::{InvalidData, Other, UnexpectedEof};
    match (error.raw_os_error().or_else(|| os_error_code(&error.to_string())), error.kind()) {
        (Some(code), _) => {
            Error::Io { operation, path: path.to_path_buf(), source: std::io::Error::from_raw_os_error(code) }
        }
        (None, InvalidData | UnexpectedEof | Other) => {
            Error::corrupt(path, "an intact index file", error.to_string())
        }
        (None, kind) => Error::Io { operation, path: path.to_path_buf(), source: kind.into() },
    }
}

/// Finds the error code of the operating system in a message. tantivy wraps some errors so that only their text
/// remains.
fn os_error_code(text: &str) -> Option<i32> {
    let (digits, _) = text.rsplit_once("(os error ")?.1.split_once(')')?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn errors_of_the_system_are_distinguished_from_corrupt_files_however_they_are_wrapped() {
        // 28 is ENOSPC: no space left on the device.
        let full = || io::Error::from_raw_os_error(28);
        for error in [full(), io::Error::other(full()), io::Error::other(full().to_string())] {
            match io("commit", Path::new("index"), &error) {
                Error::Io { operation: "commit", source, .. } => assert_eq!(source.raw_os_error(), Some(28)),
                error => panic!("{error:?}"),
            }
        }
        let as_text =
            tantivy_error("add", Path::new("index"), TantivyError::InternalError(full().to_string()));
        assert!(matches!(as_text, Error::Io { operation: "add", .. }));
        let ended = TantivyError::ErrorInThread("The index writer was killed.".to_owned());
        assert!(matches!(tantivy_error("commit", Path::new("index"), ended), Error::Io { .. }));
        let no_thread = TantivyError::SystemError("Failed to spawn segment merging thread".to_owned());
        assert!(matches!(tantivy_error("open", Path::new("index"), no_thread), Error::Io { .. }));
        let short = io("open", Path::new("index"), &io::ErrorKind::UnexpectedEof.into());
        assert!(matches!(short, Error::Corrupt { .. }));
    }
}
