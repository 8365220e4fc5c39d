//! Replaces two files together.

use std::fs;
use std::io;
use std::path::Path;

use super::destination::Written;
use crate::Error;
use crate::replace::TemporaryFile;

/// Renames two files that belong together to their targets, `first` before `second`. If one of the two is a stream, its
/// bytes have already been written, and only the other one is renamed. If the process is killed between the two
/// renames, the new `first` stays next to the old `second`.
///
/// # Errors
///
/// [`Error::Io`], which leaves both old files unchanged, with one exception: if the second rename fails and the old
/// first file cannot be moved back, the error says where the old first file is.
pub fn rename_both(first: Written, second: Written) -> Result<(), Error> {
    let (first, second) = match (first, second) {
        (Written(Some(first)), Written(Some(second))) => (first, second),
        // At least one is a stream.
        (first, second) => return first.rename().and_then(|()| second.rename()),
    };
    let (target, resolved) = (first.target.clone(), first.resolved.clone());
    let old = link_old(&resolved).map_err(Error::io("write", &target))?;
    first.rename()?;
    second.rename().map_err(|error| {
        let moved_back = match &old {
            Some((old, _)) => fs::rename(old.path(), &resolved),
            None => fs::remove_file(&resolved),
        };
        match (moved_back, old) {
            (Err(failure), Some((old, _))) => {
                let kept = old.keep().display().to_string();
                let message = format!("{error}; the old file could not be moved back from {kept}: {failure}");
                Error::io("write", &target)(io::Error::other(message))
            }
            _ => error,
        }
    })
}

/// Creates a second hard link to the file at `path`, or a copy if the file system has no hard links. Returns `None` if
/// there is no file. The link is locked while the returned file is open, so that other writers of `path` do not remove
/// it as abandoned.
fn link_old(path: &Path) -> io::Result<Option<(TemporaryFile, Option<fs::File>)>> {
    let old = TemporaryFile::beside(path);
    let linked = fs::hard_link(path, old.path()).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Err(error),
        _ => fs::copy(path, old.path()).map(drop),
    });
    match linked {
        Ok(()) => {
            let locked = fs::File::open(old.path()).ok().filter(|file| file.try_lock().is_ok());
            Ok(Some((old, locked)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
