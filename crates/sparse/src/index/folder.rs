//! Checks whether a folder contains one of our indexes, and removes the files of an index without touching other files.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tantivy::TantivyError;
use tantivy::directory::{Directory, INDEX_WRITER_LOCK, MmapDirectory};

use crate::Error;
use crate::analysis::word_pieces::remove_copies;
use crate::index::commit_payload::FORMAT;
use crate::index::schema::fields_of;
use crate::index::tantivy_error::tantivy_error;

/// Extensions of the files of a segment: those of tantivy's files, and those of our two plugins (`passages` and
/// `impacts`).
const EXTENSIONS: [&str; 10] =
    ["idx", "pos", "term", "fast", "fieldnorm", "store", "temp", "del", "passages", "impacts"];

/// Returns true if the folder has no index, or one of our indexes to which no passage was ever committed. A build that
/// is interrupted before its first commit leaves such an index behind.
pub(crate) fn is_unfinished(path: &Path) -> Result<bool, Error> {
    let meta = path.join("meta.json");
    if !meta.exists() {
        return Ok(true);
    }
    let text = fs::read_to_string(&meta).map_err(Error::io("open", &meta))?;
    let meta: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let is_ours =
        serde_json::from_value(meta["schema"].clone()).is_ok_and(|schema| fields_of(&schema).is_some());
    let is_empty = match meta["payload"].as_str().map(serde_json::from_str::<serde_json::Value>) {
        None => meta["payload"].is_null(),
        Some(payload) => payload.is_ok_and(|payload| payload["format"] == FORMAT && payload["next_ord"] == 0),
    };
    Ok(is_ours && is_empty && meta["segments"].as_array().is_some_and(Vec::is_empty))
}

/// Returns true if the folder's `meta.json` or `.managed.json` belongs to one of our indexes, even if it is corrupt.
pub(crate) fn is_ours(path: &Path) -> bool {
    let contains = |file: &str, text: &str| {
        let content = fs::read(path.join(file)).unwrap_or_default();
        content.windows(text.len()).any(|window| window == text.as_bytes())
    };
    // `.managed.json` lists the files of the index; only our indexes have passage files.
    contains("meta.json", FORMAT) || contains(".managed.json", ".passages")
}

/// Removes the files of an index, and no other files, from its folder. Fails if a writer has the index open. If the
/// process is killed during this call, the folder no longer has an index, and another call removes the remaining files.
pub(crate) fn clear(path: &Path) -> Result<(), Error> {
    let [meta, managed] = ["meta.json", ".managed.json"].map(|name| path.join(name));
    if !meta.exists() && !managed.exists() {
        return Ok(());
    }
    let directory = MmapDirectory::open(path).map_err(|error| tantivy_error("create", path, error.into()))?;
    let lock = directory.acquire_lock(&INDEX_WRITER_LOCK);
    let _lock =
        lock.map_err(|error| tantivy_error("create", path, TantivyError::LockFailure(error, None)))?;
    let segments = files_in(path)?.into_iter().filter(|file| is_segment_file(name_of(file)));
    // `meta.json` first, because without it there is no index; `.managed.json`, tantivy's list of files, last.
    for file in std::iter::once(meta).chain(segments).chain([managed]) {
        remove(&file)?;
    }
    remove_temporary(path)?;
    // Copies of a model's tokenizer.
    remove_copies(path, None)
}

/// Removes temporary files that a killed writer left behind. The caller must hold tantivy's writer lock.
pub(crate) fn remove_temporary(path: &Path) -> Result<(), Error> {
    files_in(path)?.iter().filter(|file| is_temporary(name_of(file))).try_for_each(|file| remove(file))
}

/// Removes all segment files that are not in `used`. On Windows, a file that another process has open is not removed.
/// The caller must hold tantivy's writer lock and the lock of [`lock_files`](super::open::lock_files).
pub(crate) fn remove_other_segments(path: &Path, used: &HashSet<PathBuf>) -> Result<(), Error> {
    for file in files_in(path)? {
        if is_segment_file(name_of(&file)) && !used.contains(Path::new(name_of(&file))) {
            fs::remove_file(&file).ok();
        }
    }
    Ok(())
}

fn files_in(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(path).map_err(Error::io("open", path))?;
    let files = entries.map(|entry| entry.map(|entry| entry.path()));
    files.collect::<Result<_, _>>().map_err(Error::io("open", path))
}

fn name_of(file: &Path) -> &str {
    file.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn remove(file: &Path) -> Result<(), Error> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", file)(error)),
        _ => Ok(()),
    }
}

/// Returns true for the name of one of tantivy's temporary files, which tantivy renames when they are complete: `.tmp`
/// and six letters or digits.
fn is_temporary(name: &str) -> bool {
    name.strip_prefix(".tmp")
        .is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Returns true for the name of a segment's file: `<32 hexadecimal digits>.[<opstamp>.]<extension>`, where the opstamp
/// is tantivy's number of the last change that the file contains.
fn is_segment_file(name: &str) -> bool {
    let (id, rest) = name.split_once('.').unwrap_or_default();
    let extension = rest.rsplit('.').next().unwrap_or_default();
    id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) && EXTENSIONS.contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_segment_files_and_temporary_files_are_recognized() {
        let id = "0123456789abcdef0123456789abcdef";
        assert!(
            ["idx", "passages", "42.del", "store.temp"]
                .iter()
                .all(|end| is_segment_file(&format!("{id}.{end}")))
        );
        assert!(!["jpg", "", "idx.bak"].iter().any(|end| is_segment_file(&format!("{id}.{end}"))));
        assert!(!is_segment_file("notes.idx") && !is_segment_file(id));
        assert!(
            is_temporary(".tmpa1B2c3")
                && ![".tmp", ".tmpa1B2c", ".tmp-12345", "a.tmp"].iter().any(|name| is_temporary(name))
        );
    }
}
