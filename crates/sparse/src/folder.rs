//! The folder of an index before it is one, and when it is to be none.

use std::fs;
use std::path::Path;

use tantivy::directory::{Directory, INDEX_WRITER_LOCK, MmapDirectory};
use tantivy::store::Compressor;
use tantivy::{Index, IndexSettings, TantivyError};

use crate::Error;
use crate::integrity::engine_error;
use crate::schema::{FORMAT, schema};
use crate::segments::{plugins, prepare};
use crate::word_pieces::remove_copies;

/// Extensions of the engine's segment files.
const EXTENSIONS: [&str; 10] =
    ["idx", "pos", "term", "fast", "fieldnorm", "store", "temp", "del", "passages", "impacts"];

/// An index without any commit.
pub(crate) fn new_index(path: &Path) -> Result<Index, Error> {
    let (schema, fields) = schema();
    let error = |error| engine_error("create", path, error);
    let directory = MmapDirectory::open(path).map_err(|failed| error(failed.into()))?;
    let settings = IndexSettings { docstore_compression: Compressor::Lz4, ..IndexSettings::default() };
    let mut builder = Index::builder().schema(schema).settings(settings);
    for plugin in plugins(fields) {
        builder = builder.register_plugin(plugin);
    }
    let mut index = builder.open_or_create(directory).map_err(error)?;
    prepare(&mut index, fields);
    Ok(index)
}

/// Whether nothing is there, or only what a `create` left that was killed before its first commit.
pub(crate) fn is_unfinished(path: &Path) -> Result<bool, Error> {
    let meta = path.join("meta.json");
    if !meta.exists() {
        return Ok(true);
    }
    let text = fs::read_to_string(&meta).map_err(Error::io("open", &meta))?;
    let meta: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let (schema, _) = schema();
    let ours = serde_json::to_value(schema).is_ok_and(|schema| schema == meta["schema"]);
    Ok(ours && meta["payload"].is_null() && meta["segments"].as_array().is_some_and(Vec::is_empty))
}

/// Whether a folder's `meta.json`, or the list of files beside it, speaks of an index of ours, however damaged.
pub(crate) fn is_ours(path: &Path) -> bool {
    let has = |file: &str, what: &str| {
        let content = fs::read(path.join(file)).unwrap_or_default();
        content.windows(what.len()).any(|window| window == what.as_bytes())
    };
    has("meta.json", FORMAT) || has(".managed.json", ".passages")
}

/// Removes the engine's files, and only those, from a folder that has an index and no writer.
pub(crate) fn clear(path: &Path) -> Result<(), Error> {
    if !path.join("meta.json").exists() {
        return Ok(());
    }
    let directory = MmapDirectory::open(path).map_err(|error| engine_error("create", path, error.into()))?;
    let lock = directory.acquire_lock(&INDEX_WRITER_LOCK);
    let _lock = lock.map_err(|error| engine_error("create", path, TantivyError::LockFailure(error, None)))?;
    for entry in fs::read_dir(path).map_err(Error::io("create", path))? {
        let entry = entry.map_err(Error::io("create", path))?.path();
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name == "meta.json" || name == ".managed.json" || is_segment_file(name) {
            fs::remove_file(&entry).map_err(Error::io("remove", &entry))?;
        }
    }
    remove_copies(path, None)
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
    }
}
