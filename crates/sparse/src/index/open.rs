//! Opening and creating tantivy's index in a folder.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::LockError;
use tantivy::directory::{Directory, DirectoryLock, META_LOCK, MmapDirectory, RamDirectory};
use tantivy::plugin::SegmentPlugin;
use tantivy::store::Compressor;
use tantivy::{Index, IndexSettings, TantivyError};

use crate::analysis::tantivy_tokenizer::{self, AnalyzerTokenizer};
use crate::index::commit_payload::CommitPayload;
use crate::index::folder::is_ours;
use crate::index::integrity::engine_error;
use crate::index::schema::{Fields, schema};
use crate::passages::plugin::PassagesPlugin;
use crate::postings::ImpactsPlugin;
use crate::{Analyzer, Error};

/// The engine's handle of the index in a folder.
pub(crate) fn open_index(path: &Path) -> Result<Index, Error> {
    if path.is_file() {
        return Err(Error::NotAFolder { path: path.to_path_buf() });
    }
    if !path.exists() {
        return Err(Error::NotFound { path: path.to_path_buf() });
    }
    let error = |error| engine_error("open", path, error);
    let directory = MmapDirectory::open(path).map_err(|failed| error(failed.into()))?;
    open_directory(path, directory)
}

/// Like [`open_index`], but reads the files of the last commit into memory.
pub(crate) fn read_index(path: &Path) -> Result<Index, Error> {
    let index = open_index(path)?;
    let _lock = lock_files(&index, path)?;
    let meta = index.load_metas().map_err(|error| engine_error("open", path, error))?;
    let memory = RamDirectory::create();
    let segments = meta.list_segment_files().into_iter().filter(|file| path.join(file).exists());
    for file in segments.chain([PathBuf::from("meta.json")]) {
        let from = path.join(&file);
        let content = fs::read(&from).map_err(Error::io("open", &from))?;
        memory.atomic_write(&file, &content).map_err(Error::io("open", &from))?;
    }
    open_directory(path, memory)
}

fn open_directory(path: &Path, directory: impl Directory + Clone) -> Result<Index, Error> {
    let error = |error| engine_error("open", path, error);
    if !Index::exists(&directory).map_err(|failed| error(failed.into()))? {
        let got = "a folder without one".to_owned();
        return Err(Error::NotAnIndex { path: path.to_path_buf(), got });
    }
    let mut index = Index::open(directory).map_err(|failed| match error(failed) {
        Error::Corrupt { got, .. } if !is_ours(path) => Error::NotAnIndex { path: path.to_path_buf(), got },
        error => error,
    })?;
    let meta = index.load_metas().map_err(error)?;
    CommitPayload::parse(meta.payload.as_deref(), path)?;
    let (schema, fields) = schema();
    if index.schema() != schema {
        return Err(Error::corrupt(path, "the fields of a BM25 index", "other fields"));
    }
    prepare(&mut index, fields);
    let extensions = index.custom_plugins().iter().flat_map(|plugin| plugin.extensions().to_vec());
    if !extensions.eq(meta.persisted_custom_extensions.iter().map(String::as_str)) {
        let got = format!("{:?}", meta.persisted_custom_extensions);
        return Err(Error::corrupt(path, "a passage file and an impact file in each segment", got));
    }
    Ok(index)
}

/// Registers what the engine needs to write segments, but for the analyzer.
pub(crate) fn prepare(index: &mut Index, fields: Fields) {
    if index.custom_plugins().is_empty() {
        plugins(fields).into_iter().for_each(|plugin| index.register_plugin(plugin));
    }
}

/// Has the engine analyse what is added from here on.
pub(crate) fn analyze_with(index: &Index, analyzer: Analyzer) {
    index.tokenizers().register(tantivy_tokenizer::NAME, AnalyzerTokenizer { analyzer });
}

/// What writes our files of a segment.
pub(crate) fn plugins(fields: Fields) -> [Arc<dyn SegmentPlugin>; 2] {
    [Arc::new(PassagesPlugin { fields }), Arc::new(ImpactsPlugin { contents: fields.contents })]
}

/// Keeps writers from deleting files until all are open. Without write permission, no lock is taken.
pub(crate) fn lock_files(index: &Index, path: &Path) -> Result<Option<DirectoryLock>, Error> {
    match index.directory().acquire_lock(&META_LOCK) {
        Err(LockError::IoError(refused))
            if matches!(refused.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
        {
            Ok(None)
        }
        Ok(lock) => Ok(Some(lock)),
        Err(failed) => Err(engine_error("open", path, TantivyError::LockFailure(failed, None))),
    }
}

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
