//! The folder of an index: whether it contains an index of ours, and removing one without touching other files.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tantivy::TantivyError;
use tantivy::directory::{Directory, INDEX_WRITER_LOCK, MmapDirectory};

use crate::Error;
use crate::analysis::word_pieces::remove_copies;
use crate::index::commit_payload::FORMAT;
use crate::index::schema::schema;
use crate::index::tantivy_error::tantivy_error;

/// Extensions of the files of a segment: tantivy's and the two of our plugins.
const EXTENSIONS: [&str; 10] =
    ["idx", "pos", "term", "fast", "fieldnorm", "store", "temp", "del", "passages", "impacts"];

/// Whether the folder has no index, or one without passages, as a build leaves behind that was killed or given up before
/// its first commit with passages.
pub(crate) fn is_unfinished(path: &Path) -> Result<bool, Error> {
    let meta = path.join("meta.json");
    if !meta.exists() {
        return Ok(true);
    }
    let text = fs::read_to_string(&meta).map_err(Error::io("open", &meta))?;
    let meta: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let (schema, _) = schema();
    let is_ours = serde_json::to_value(schema).is_ok_and(|schema| schema == meta["schema"]);
    let is_empty = match meta["payload"].as_str().map(serde_json::from_str::<serde_json::Value>) {
        None => meta["payload"].is_null(),
        Some(payload) => payload.is_ok_and(|payload| payload["format"] == FORMAT && payload["next_ord"] == 0),
    };
    Ok(is_ours && is_empty && meta["segments"].as_array().is_some_and(Vec::is_empty))
}

/// Whether the folder's `meta.json` or `.managed.json` is that of an index of ours, even if it is corrupt.
pub(crate) fn is_ours(path: &Path) -> bool {
    let has = |file: &str, what: &str| {
        let content = fs::read(path.join(file)).unwrap_or_default();
        content.windows(what.len()).any(|window| window == what.as_bytes())
    };
    has("meta.json", FORMAT) || has(".managed.json", ".passages")
}

/// Removes the files of an index, and no others, from a folder in which no writer is open. If the process is killed
/// meanwhile, the folder has no index, and this can be called again.
pub(crate) fn clear(path: &Path) -> Result<(), Error> {
    let lists = ["meta.json", ".managed.json"].map(|name| path.join(name));
    if !lists.iter().any(|list| list.exists()) {
        return Ok(());
    }
    let directory = MmapDirectory::open(path).map_err(|error| tantivy_error("create", path, error.into()))?;
    let lock = directory.acquire_lock(&INDEX_WRITER_LOCK);
    let _lock =
        lock.map_err(|error| tantivy_error("create", path, TantivyError::LockFailure(error, None)))?;
    let [meta, managed] = lists;
    let segments = files_in(path)?.into_iter().filter(|file| is_segment_file(name_of(file)));
    // `meta.json` first, because without it there is no index; the list of files last.
    for file in std::iter::once(meta).chain(segments).chain([managed]) {
        remove(&file)?;
    }
    remove_temporary(path)?;
    remove_copies(path, None)
}

/// Removes temporary files that a killed writer left behind. The caller must hold the writer's lock.
pub(crate) fn remove_temporary(path: &Path) -> Result<(), Error> {
    files_in(path)?.iter().filter(|file| is_temporary(name_of(file))).try_for_each(|file| remove(file))
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

/// Whether this is a name of tantivy's temporary files, which it renames when they are written: `.tmp` and six letters
/// or digits.
fn is_temporary(name: &str) -> bool {
    name.strip_prefix(".tmp")
        .is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Whether this is a name of a segment's files: `<32 hexadecimal digits>.[<opstamp>.]<extension>`.
fn is_segment_file(name: &str) -> bool {
    let (id, rest) = name.split_once('.').unwrap_or_default();
    let extension = rest.rsplit('.').next().unwrap_or_default();
    id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) && EXTENSIONS.contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_tantivys_files_are_recognized() {
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
