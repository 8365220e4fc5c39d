//! Opening what may be damaged: checksums, and the engine's panics turned into errors.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::{Index, IndexMeta, TantivyError};

use crate::Error;

/// Segment files of up to so many bytes in all are compared with their checksums when an index is opened.
pub(crate) const CHECKED_ON_OPEN: u64 = 64 << 20;

/// The engine reads the last eight bytes of a file without looking whether there are so many.
const SHORTEST_FOOTER: u64 = 8;

/// Name prefix of tantivy's threads that write segments.
const INDEXING_THREADS: &str = "thrd-tantivy-index";

/// Runs what reads an index, and says of a panic that the index is damaged: the engine trusts its files.
pub(crate) fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let text = panics::description(&*panic);
        Err(Error::corrupt(path, "sound index files", format!("a failure in reading them: {text}")))
    })
}

/// The files of a commit's segments that have not been checked before, compared with their checksums unless they
/// are more than [`CHECKED_ON_OPEN`]; `limit` lifts that. To be called with the meta lock held, lest files go.
pub(crate) fn verify(
    index: &Index,
    meta: &IndexMeta,
    path: &Path,
    checked: &mut HashSet<PathBuf>,
    limit: u64,
) -> Result<(), Error> {
    let candidates = meta.list_segment_files();
    let sizes = candidates.iter().filter(|file| !checked.contains(*file));
    // The files that a segment cannot be without are missed when it is opened.
    let sizes = sizes.filter_map(|file| Some((file, path.join(file).metadata().ok()?.len())));
    let files: Vec<(&PathBuf, u64)> = sizes.collect();
    if files.iter().map(|(_, bytes)| bytes).sum::<u64>() <= limit {
        for (file, bytes) in &files {
            if *bytes < SHORTEST_FOOTER {
                let got = format!("{bytes} bytes");
                return Err(Error::corrupt(&path.join(file), "a file with a checksum at its end", got));
            }
            let sound = index.directory().validate_checksum(file);
            if !sound.map_err(|error| engine_error("open", path, error.into()))? {
                let expected = "a file that agrees with its checksum";
                return Err(Error::corrupt(&path.join(file), expected, "another checksum"));
            }
        }
        checked.extend(files.into_iter().map(|(file, _)| file.clone()));
    }
    checked.retain(|file| candidates.contains(file));
    Ok(())
}

/// Whether a segment file exists and matches its checksum.
pub(crate) fn matches_checksum(index: &Index, path: &Path, file: &Path) -> tantivy::Result<bool> {
    match path.join(file).metadata() {
        Ok(metadata) if metadata.len() < SHORTEST_FOOTER => return Ok(false),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        metadata => {
            metadata?;
        }
    }
    match index.directory().validate_checksum(file) {
        Err(OpenReadError::IoError { io_error, .. }) if io_error.raw_os_error().is_none() => Ok(false),
        Err(OpenReadError::IncompatibleIndex(_)) => Ok(false),
        checked => Ok(checked?),
    }
}

/// Names the engine's error.
pub(crate) fn engine_error(operation: &'static str, path: &Path, error: TantivyError) -> Error {
    let corrupt = |expected: &str, got: String| Error::corrupt(path, expected, got);
    match error {
        TantivyError::LockFailure(LockError::LockBusy, _) => Error::Locked { path: path.to_path_buf() },
        TantivyError::LockFailure(LockError::IoError(error), _) => io(operation, path, &error),
        TantivyError::DataCorruption(damage) => corrupt("sound index files", format!("{damage:?}")),
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_)) if !path.is_dir() => {
            Error::io(operation, path)(std::io::ErrorKind::NotFound.into())
        }
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(file)) => {
            let made_of_others = file.extension().is_some_and(|extension| extension == "impacts");
            let mend = "; `passagekit doctor --repair` or `Bm25Index.repair` makes it anew";
            let got = format!("no such file{}", if made_of_others { mend } else { "" });
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
        | TantivyError::UnexpectedPlugin(_)) => {
            corrupt("an index that agrees with itself", error.to_string())
        }
        // tantivy trusts its files while it merges them: a panic there means damage that the checksums do not detect.
        TantivyError::SystemError(text) if text.starts_with("Merge thread panicked") => {
            corrupt("sound index files", format!("a failure in merging them: {text}"))
        }
        error => match code_in(&error.to_string()) {
            Some(code) => {
                let source = std::io::Error::from_raw_os_error(code);
                Error::Io { operation, path: path.to_path_buf(), source }
            }
            None => unnamed(operation, path, error),
        },
    }
}

/// Converts an error without a stated cause. If a tantivy thread ended without a panic, the cause was a system error;
/// with several threads, tantivy may have dropped its message.
fn unnamed(operation: &'static str, path: &Path, error: TantivyError) -> Error {
    let engine = |source| Error::Engine { operation, path: path.to_path_buf(), source };
    match &error {
        TantivyError::ErrorInThread(_) => match panics::last_of(INDEXING_THREADS) {
            Some(panic) => engine(format!("{error}: {panic}").into()),
            None => Error::refused(operation, path, error.to_string()),
        },
        TantivyError::SystemError(said) if said.starts_with("Failed to spawn") => {
            Error::refused(operation, path, format!("the system gave no threads: {said}"))
        }
        _ => engine(Box::new(error)),
    }
}

/// An error of the system, or of what a file holds.
fn io(operation: &'static str, path: &Path, error: &std::io::Error) -> Error {
    use std::io::ErrorKind::{InvalidData, Other, UnexpectedEof};
    match (error.raw_os_error().or_else(|| code_in(&error.to_string())), error.kind()) {
        (Some(code), _) => {
            Error::Io { operation, path: path.to_path_buf(), source: std::io::Error::from_raw_os_error(code) }
        }
        (None, InvalidData | UnexpectedEof | Other) => {
            Error::corrupt(path, "a sound index file", error.to_string())
        }
        (None, kind) => Error::Io { operation, path: path.to_path_buf(), source: kind.into() },
    }
}

/// What the system said, in a text: the engine wraps errors so that only their texts come through.
fn code_in(text: &str) -> Option<i32> {
    let (digits, _) = text.rsplit_once("(os error ")?.1.split_once(')')?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn a_full_disk_is_told_from_damage_however_it_is_wrapped() {
        let full = || io::Error::from_raw_os_error(28);
        for error in [full(), io::Error::other(full()), io::Error::other(full().to_string())] {
            match io("commit", Path::new("index"), &error) {
                Error::Io { operation: "commit", source, .. } => assert_eq!(source.raw_os_error(), Some(28)),
                error => panic!("{error:?}"),
            }
        }
        let lost = engine_error("add", Path::new("index"), TantivyError::InternalError(full().to_string()));
        assert!(matches!(lost, Error::Io { operation: "add", .. }));
        let ended = TantivyError::ErrorInThread("The index writer was killed.".to_owned());
        assert!(matches!(engine_error("commit", Path::new("index"), ended), Error::Io { .. }));
        let no_thread = TantivyError::SystemError("Failed to spawn segment merging thread".to_owned());
        assert!(matches!(engine_error("open", Path::new("index"), no_thread), Error::Io { .. }));
        let short = io("open", Path::new("index"), &io::ErrorKind::UnexpectedEof.into());
        assert!(matches!(short, Error::Corrupt { .. }));
    }
}
