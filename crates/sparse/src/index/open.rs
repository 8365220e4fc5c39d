//! Opens or creates tantivy's index in a folder.
//!
//! tantivy's `Index` is a handle to the folder. It has the schema, and the plugins that write our two files of each
//! segment. A [`Snapshot`](crate::index::snapshot::Snapshot) or a writer is opened from this handle.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::LockError;
use tantivy::directory::{Directory, DirectoryLock, META_LOCK, RamDirectory};
use tantivy::plugin::SegmentPlugin;
use tantivy::store::Compressor;
use tantivy::{Index, IndexSettings, TantivyError};

use crate::Error;
use crate::index::commit_payload::CommitPayload;
use crate::index::corruption::catch_read_panic;
use crate::index::folder::is_ours;
use crate::index::schema::{Fields, fields_of, schema};
use crate::index::tantivy_error::tantivy_error;
use crate::passages::plugin::PassagePlugin;
use crate::postings::{ImpactPlugin, PassageAnalysis};
use crate::writer::durable_directory::DurableDirectory;

/// An index that was opened for a writer.
pub(crate) struct WritableIndex {
    pub index: Index,
    pub directory: DurableDirectory,
    /// With this, the writer sets the analyzer of passages.
    pub analysis: PassageAnalysis,
}

/// Opens the index in a folder. The files are memory-mapped.
pub(crate) fn open_index(path: &Path) -> Result<Index, Error> {
    open_writable(path).map(|opened| opened.index)
}

/// Does the same as [`open_index`], and returns what a writer needs besides.
pub(crate) fn open_writable(path: &Path) -> Result<WritableIndex, Error> {
    if path.is_file() {
        return Err(Error::NotAFolder { path: path.to_path_buf() });
    }
    if !path.exists() {
        return Err(Error::NotFound { path: path.to_path_buf() });
    }
    let error = |error| tantivy_error("open", path, error);
    let directory = DurableDirectory::open(path).map_err(|failed| error(failed.into()))?;
    let (index, analysis) = open_directory(path, directory.clone())?;
    Ok(WritableIndex { index, directory, analysis })
}

/// Opens the index again, as its last commit is on the disk, for a rollback.
pub(crate) fn open_again(
    path: &Path,
    fields: Fields,
    directory: DurableDirectory,
) -> Result<WritableIndex, Error> {
    let opened = catch_read_panic(|| Index::open(directory.clone()));
    let mut index = opened.map_err(|failed| tantivy_error("roll back", path, failed))?;
    let analysis = PassageAnalysis::default();
    register_plugins(&mut index, fields, &analysis);
    Ok(WritableIndex { index, directory, analysis })
}

/// Does the same as [`open_index`], but reads the files of the last commit into memory.
pub(crate) fn read_index(path: &Path) -> Result<Index, Error> {
    let index = open_index(path)?;
    let _lock = lock_files(&index, path)?;
    let meta = index.load_metas().map_err(|error| tantivy_error("open", path, error))?;
    let memory = RamDirectory::create();
    // tantivy also lists the names of optional files that the segments do not have.
    let segment_files = meta.list_segment_files().into_iter().filter(|file| path.join(file).exists());
    for file in segment_files.chain([PathBuf::from("meta.json")]) {
        let from = path.join(&file);
        let content = fs::read(&from).map_err(Error::io("open", &from))?;
        memory.atomic_write(&file, &content).map_err(Error::io("open", &from))?;
    }
    open_directory(path, memory).map(|(index, _)| index)
}

fn open_directory(path: &Path, directory: impl Directory + Clone) -> Result<(Index, PassageAnalysis), Error> {
    let error = |error| tantivy_error("open", path, error);
    if !Index::exists(&directory).map_err(|failed| error(failed.into()))? {
        let got = "a folder that contains none".to_owned();
        return Err(Error::NotAnIndex { path: path.to_path_buf(), got });
    }
    let mut index = catch_read_panic(|| Index::open(directory)).map_err(|failed| match error(failed) {
        Error::Corrupt { got, .. } if !is_ours(path) => Error::NotAnIndex { path: path.to_path_buf(), got },
        error => error,
    })?;
    let meta = index.load_metas().map_err(error)?;
    CommitPayload::parse(meta.payload.as_deref(), path)?;
    let Some(fields) = fields_of(&index.schema()) else {
        return Err(Error::corrupt(path, "the fields of a BM25 index", "other fields"));
    };
    let analysis = PassageAnalysis::default();
    register_plugins(&mut index, fields, &analysis);
    let extensions = index.custom_plugins().iter().flat_map(|plugin| plugin.extensions().to_vec());
    if !extensions.eq(meta.persisted_custom_extensions.iter().map(String::as_str)) {
        let got = format!("{:?}", meta.persisted_custom_extensions);
        return Err(Error::corrupt(path, "a passage file and an impact file in each segment", got));
    }
    Ok((index, analysis))
}

/// Registers the plugins that tantivy needs to open, write and merge segments, unless they are registered already.
fn register_plugins(index: &mut Index, fields: Fields, analysis: &PassageAnalysis) {
    if index.custom_plugins().is_empty() {
        plugins(fields, analysis).into_iter().for_each(|plugin| index.register_plugin(plugin));
    }
}

/// Returns the plugins that write our two files of each segment.
fn plugins(fields: Fields, analysis: &PassageAnalysis) -> [Arc<dyn SegmentPlugin>; 2] {
    let impacts = ImpactPlugin { contents: fields.contents, analysis: analysis.clone() };
    [Arc::new(PassagePlugin { fields }), Arc::new(impacts)]
}

/// Acquires the lock that keeps writers from removing files. Returns `None` if the folder is not writable, because then
/// no writer can remove files either.
pub(crate) fn lock_files(index: &Index, path: &Path) -> Result<Option<DirectoryLock>, Error> {
    match index.directory().acquire_lock(&META_LOCK) {
        Err(LockError::IoError(failed))
            if matches!(failed.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
        {
            Ok(None)
        }
        Ok(lock) => Ok(Some(lock)),
        Err(failed) => Err(tantivy_error("open", path, TantivyError::LockFailure(failed, None))),
    }
}

/// Creates an index without any commit.
pub(crate) fn new_index(path: &Path) -> Result<WritableIndex, Error> {
    let (schema, fields) = schema();
    let error = |error| tantivy_error("create", path, error);
    let directory = DurableDirectory::open(path).map_err(|failed| error(failed.into()))?;
    let settings = IndexSettings { docstore_compression: Compressor::Lz4, ..IndexSettings::default() };
    let mut builder = Index::builder().schema(schema).settings(settings);
    let analysis = PassageAnalysis::default();
    for plugin in plugins(fields, &analysis) {
        builder = builder.register_plugin(plugin);
    }
    let mut index = builder.open_or_create(directory.clone()).map_err(error)?;
    register_plugins(&mut index, fields, &analysis);
    Ok(WritableIndex { index, directory, analysis })
}
