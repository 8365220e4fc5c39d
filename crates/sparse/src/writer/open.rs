//! Creates an index, or opens one for changes.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tantivy::directory::Directory;
use tantivy::directory::error::LockError;
use tantivy::indexer::IndexWriterOptions;
use tantivy::{Index, TantivyError};

use super::IndexWriter;
use crate::index::checksums::MAX_BYTES_VERIFIED_ON_OPEN;
use crate::index::commit_payload::CommitPayload;
use crate::index::folder::{clear, is_unfinished, remove_temporary};
use crate::index::open::{WritableIndex, new_index, open_writable};
use crate::index::snapshot::Snapshot;
use crate::index::tantivy_error::tantivy_error;
use crate::postings::AnalysisSettings;
use crate::search::searcher::Searcher;
use crate::writer::backlog::Backlog;
use crate::writer::id_set::IdSet;
use crate::writer::options::WriterOptions;
use crate::{Analyzer, Error};

impl IndexWriter {
    /// Creates an empty index in a folder, and the folder if it does not exist. With [`WriterOptions::overwrite`], an
    /// existing index is replaced at the first commit and can be searched until then.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] if there is an index and `overwrite` is not set; [`Error::NotAFolder`] if the path is a
    /// file; [`Error::NotAnIndex`] for an index of another program, which is never overwritten; [`Error::Locked`] if
    /// another writer has the index open; [`Error::Argument`] for options out of range; [`Error::Io`]. An index to
    /// which no passage was ever committed does not count as an index, so a first build that was killed can be started
    /// again.
    pub fn create(path: &Path, analyzer: Analyzer, options: WriterOptions) -> Result<Self, Error> {
        let tantivy_options = options.to_tantivy()?;
        if path.is_file() {
            return Err(Error::NotAFolder { path: path.to_path_buf() });
        }
        fs::create_dir_all(path).map_err(Error::io("create", path))?;
        match open_writable(path) {
            Ok(_) if is_unfinished(path)? => clear(path)?,
            Ok(_) if !options.overwrite => return Err(Error::AlreadyExists { path: path.to_path_buf() }),
            Ok(opened) => {
                let overwriting = Self::overwrite(path, opened, &analyzer, options)?;
                if let Some(writer) = overwriting {
                    return Ok(writer);
                }
                clear(path)?;
            }
            Err(Error::NotAnIndex { .. }) if is_unfinished(path)? => clear(path)?,
            Err(Error::Corrupt { .. } | Error::Version { .. }) if options.overwrite => clear(path)?,
            Err(Error::Corrupt { .. } | Error::Version { .. }) => {
                return Err(Error::AlreadyExists { path: path.to_path_buf() });
            }
            Err(error) => return Err(error),
        }
        Self::create_empty(path, analyzer, options, &tantivy_options)
    }

    /// Opens the index in a folder for changes.
    ///
    /// # Errors
    ///
    /// Those of [`Bm25Index::open`](crate::Bm25Index::open); [`Error::Locked`] if another writer has the index open;
    /// [`Error::Argument`] for options out of range.
    pub fn open(path: &Path, options: WriterOptions) -> Result<Self, Error> {
        Self::open_expecting(path, None, options)
    }

    /// Opens the index in a folder for changes, and fails if the analyzer of the index differs from `analyzer`. `None`
    /// accepts every analyzer.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), and [`Error::AnalyzerMismatch`].
    pub fn open_expecting(
        path: &Path,
        analyzer: Option<Analyzer>,
        options: WriterOptions,
    ) -> Result<Self, Error> {
        let tantivy_options = options.to_tantivy()?;
        let opened = open_writable(path)?;
        let tantivy_writer = open_tantivy_writer(&opened.index, &tantivy_options, "open", path)?;
        let writer = Self::from_tantivy(path, opened, tantivy_writer, options)?;
        writer.committed.index.check_analyzer(analyzer.as_ref())?;
        writer.start_analyzing();
        // If a writer was killed before its last replacement of `meta.json` was durable, the replacement must be made
        // durable before the files of the previous commit are removed.
        writer.index.directory().sync_directory().map_err(Error::io("open", path))?;
        // A writer that was killed may have left temporary files, and segments that no commit contains.
        remove_temporary(path)?;
        writer.remove_unlisted_segments()?;
        writer.collect_garbage()?;
        Ok(writer)
    }

    fn create_empty(
        path: &Path,
        analyzer: Analyzer,
        options: WriterOptions,
        tantivy_options: &IndexWriterOptions,
    ) -> Result<Self, Error> {
        let opened = new_index(path)?;
        let error = |error| tantivy_error("create", path, error);
        let mut tantivy_writer = open_tantivy_writer(&opened.index, tantivy_options, "create", path)?;
        write_tokenizer(path, &analyzer)?;
        let mut prepared = tantivy_writer.prepare_commit().map_err(error)?;
        prepared.set_payload(&CommitPayload::new(&analyzer).to_json());
        prepared.commit().map_err(error)?;
        let writer = Self::from_tantivy(path, opened, tantivy_writer, options)?;
        writer.remove_other_tokenizers()?;
        writer.start_analyzing();
        Ok(writer)
    }

    /// Returns a writer that replaces the index at its first commit; `None` if the index is damaged, or if this release
    /// does not support the version of the index or of its analyzer.
    fn overwrite(
        path: &Path,
        opened: WritableIndex,
        analyzer: &Analyzer,
        options: WriterOptions,
    ) -> Result<Option<Self>, Error> {
        let open = || {
            let tantivy_writer = open_tantivy_writer(&opened.index, &options.to_tantivy()?, "create", path)?;
            let mut writer = Self::from_tantivy(path, opened, tantivy_writer, options)?;
            remove_temporary(path)?;
            writer.collect_garbage()?;
            write_tokenizer(path, analyzer)?;
            writer.analyzer = analyzer.clone();
            writer.start_analyzing();
            writer.begin_overwriting()?;
            Ok(writer)
        };
        match open() {
            Ok(writer) => Ok(Some(writer)),
            Err(Error::Corrupt { .. } | Error::Version { .. } | Error::AnalyzerVersion { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes all passages, without committing the deletions.
    pub(super) fn begin_overwriting(&mut self) -> Result<(), Error> {
        let cleared = self.tantivy_writer.delete_all_documents();
        cleared.map_err(|error| tantivy_error("create", &self.path, error))?;
        self.payload = CommitPayload::new(&self.analyzer);
        self.is_overwriting = true;
        Ok(())
    }

    /// Sets the analyzer of the passages that are added from now on, and the backlog that they leave.
    pub(super) fn start_analyzing(&self) {
        let (analyzer, backlog) = (self.analyzer.clone(), Arc::clone(&self.backlog));
        self.analysis.set(AnalysisSettings { analyzer, backlog });
    }

    fn from_tantivy(
        path: &Path,
        WritableIndex { index, directory, analysis }: WritableIndex,
        tantivy_writer: tantivy::IndexWriter,
        options: WriterOptions,
    ) -> Result<Self, Error> {
        let mut verified = HashSet::new();
        let committed = Snapshot::open(&index, path, &mut verified, MAX_BYTES_VERIFIED_ON_OPEN)?;
        let mut writer = Self {
            path: path.to_path_buf(),
            directory,
            index,
            analysis,
            tantivy_writer,
            fields: committed.fields,
            payload: committed.payload.clone(),
            analyzer: committed.analyzer.clone(),
            committed: Arc::new(Searcher::new(committed)),
            is_overwriting: false,
            verified,
            added: IdSet::default(),
            removed: IdSet::default(),
            backlog: Backlog::new(options.max_backlog_bytes()),
            is_interrupted: false,
            unfinished_commit: None,
            is_tantivy_writer_lost: false,
            options,
            merges_in_background: true,
        };
        writer.merge_in_background(true);
        Ok(writer)
    }
}

/// Number of retries if the writer lock is held. The lock of a writer that was just closed may stay held for a moment
/// if this process is starting a child process: between `fork` and `exec`, the child has all open files of its parent.
const LOCK_RETRIES: u32 = 20;
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// Opens tantivy's writer, and ensures that its operations have later stamps than the last commit: see
/// [`skip_stamp_of_commit`].
pub(super) fn open_tantivy_writer(
    index: &Index,
    options: &IndexWriterOptions,
    operation: &'static str,
    path: &Path,
) -> Result<tantivy::IndexWriter, Error> {
    let error = |error| tantivy_error(operation, path, error);
    let mut retries = 0;
    let tantivy_writer = loop {
        match index.writer_with_options(options.clone()) {
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) if retries < LOCK_RETRIES => {
                retries += 1;
                thread::sleep(LOCK_RETRY_INTERVAL);
            }
            opened => break opened.map_err(error)?,
        }
    };
    skip_stamp_of_commit(&tantivy_writer).map_err(error)?;
    Ok(tantivy_writer)
}

/// Consumes the operation stamp (opstamp) that a new or rolled-back tantivy writer would give its first operation.
///
/// tantivy numbers operations with stamps, and a merge of committed segments applies the deletions up to the stamp of
/// the last commit. A writer that has just been opened or rolled back starts counting at that stamp, not at the next
/// one. So if its first operation were a deletion, the next merge would apply it although it was never committed. The
/// merged segment would have fewer passages than the commit recorded, and the index could no longer be opened.
fn skip_stamp_of_commit(tantivy_writer: &tantivy::IndexWriter) -> tantivy::Result<()> {
    // An empty group of operations consumes one stamp and does nothing else.
    tantivy_writer.run(std::iter::empty()).map(|_| ())
}

/// Copies the tokenizer of a `wordpiece` analyzer into the folder of the index, before the commit that needs it.
fn write_tokenizer(path: &Path, analyzer: &Analyzer) -> Result<(), Error> {
    analyzer.word_pieces().map_or(Ok(()), |pieces| pieces.write_copy(path))
}
