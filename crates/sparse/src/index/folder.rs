//! The folder of an index before it is one, and when it is to be none.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tantivy::TantivyError;
use tantivy::directory::{Directory, INDEX_WRITER_LOCK, MmapDirectory};

use crate::Error;
use crate::analysis::word_pieces::remove_copies;
use crate::index::commit_payload::FORMAT;
use crate::index::integrity::engine_error;
use crate::index::schema::schema;

/// Extensions of the engine's segment files.
const EXTENSIONS: [&str; 10] =
    ["idx", "pos", "term", "fast", "fieldnorm", "store", "temp", "del", "passages", "impacts"];

/// Whether nothing is there, or only what a `create` left that was killed or given up before a first passage was
/// committed.
pub(crate) fn is_unfinished(path: &Path) -> Result<bool, Error> {
    let meta = path.join("meta.json");
    if !meta.exists() {
        return Ok(true);
    }
    let text = fs::read_to_string(&meta).map_err(Error::io("open", &meta))?;
    let meta: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let (schema, _) = schema();
    let ours = serde_json::to_value(schema).is_ok_and(|schema| schema == meta["schema"]);
    let untouched = match meta["payload"].as_str().map(serde_json::from_str::<serde_json::Value>) {
        None => meta["payload"].is_null(),
        Some(settings) => {
            settings.is_ok_and(|settings| settings["format"] == FORMAT && settings["next_ord"] == 0)
        }
    };
    Ok(ours && untouched && meta["segments"].as_array().is_some_and(Vec::is_empty))
}

/// Whether a folder's `meta.json`, or the list of files beside it, speaks of an index of ours, however damaged.
pub(crate) fn is_ours(path: &Path) -> bool {
    let has = |file: &str, what: &str| {
        let content = fs::read(path.join(file)).unwrap_or_default();
        content.windows(what.len()).any(|window| window == what.as_bytes())
    };
    has("meta.json", FORMAT) || has(".managed.json", ".passages")
}

/// Removes the engine's files, and only those, from a folder that has an index and no writer. Killed on its way, it
/// leaves no index, and can be called again.
pub(crate) fn clear(path: &Path) -> Result<(), Error> {
    let lists = ["meta.json", ".managed.json"].map(|name| path.join(name));
    if !lists.iter().any(|list| list.exists()) {
        return Ok(());
    }
    let directory = MmapDirectory::open(path).map_err(|error| engine_error("create", path, error.into()))?;
    let lock = directory.acquire_lock(&INDEX_WRITER_LOCK);
    let _lock = lock.map_err(|error| engine_error("create", path, TantivyError::LockFailure(error, None)))?;
    let [meta, managed] = lists;
    let segments = files_in(path)?.into_iter().filter(|file| is_segment_file(name_of(file)));
    // First what makes it an index, last what lists its files.
    for file in std::iter::once(meta).chain(segments).chain([managed]) {
        remove(&file)?;
    }
    remove_temporary(path)?;
    remove_copies(path, None)
}

/// Removes files that a writer was killed before renaming. To be called with the writer's lock held.
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

/// `.tmp` and six letters or digits: the engine writes these and renames them.
fn is_temporary(name: &str) -> bool {
    name.strip_prefix(".tmp")
        .is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// `<32 hexadecimal digits>.[<opstamp>.]<extension>`
fn is_segment_file(name: &str) -> bool {
    let (id, rest) = name.split_once('.').unwrap_or_default();
    let extension = rest.rsplit('.').next().unwrap_or_default();
    id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) && EXTENSIONS.contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_engines_files_are_taken_for_such() {
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
