//! Changing an index.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::{Directory, META_LOCK};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::{Index, TantivyDocument, TantivyError, Term};

use crate::backlog::Backlog;
use crate::fields::{PassageFields, check_fields, to_engine};
use crate::folder::{clear, is_unfinished, new_index, remove_temporary};
use crate::id_set::IdSet;
use crate::integrity::{CHECKED_ON_OPEN, engine_error, guarded};
use crate::merging::merge_all;
use crate::schema::{Fields, Settings};
use crate::segments::{Segments, analyze_with, open_index};
use crate::word_pieces::remove_copies;
use crate::writer_options::WriterOptions;
use crate::{Analyzer, Error};

/// The engine takes no longer terms.
const LONGEST_ID: usize = 65_530;

/// Changes a BM25 index. There is one at a time, across processes. What it does is seen, all at once, when it
/// [commits](Self::commit), and undone if it is dropped before.
///
/// Where the system fails it, as on a full disk, or a set of changes ended [half-way](Self::interrupt), it refuses
/// everything with [`Error::Interrupted`] until it is [rolled back](Self::rollback): what is half done is never
/// committed.
pub struct IndexWriter {
    path: PathBuf,
    index: Index,
    engine: tantivy::IndexWriter,
    fields: Fields,
    /// As of the next commit.
    settings: Settings,
    analyzer: Analyzer,
    /// The last commit, or nothing where it is to be overwritten; its files are kept from being collected.
    committed: Segments,
    overwriting: bool,
    checked: HashSet<PathBuf>,
    /// Ids added since the last commit.
    added: IdSet,
    /// Ids of the last commit deleted since.
    removed: IdSet,
    backlog: Arc<Backlog>,
    interrupted: bool,
    merges_in_background: bool,
}

impl IndexWriter {
    /// Makes an empty index in a folder, which is made if there is none. Where an index is overwritten, it stays
    /// until the first commit.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] unless told to overwrite; [`Error::NotAFolder`]; [`Error::NotAnIndex`] for
    /// another program's index, which is never overwritten; [`Error::Locked`]; [`Error::Argument`] for options
    /// out of range; [`Error::Io`]. An index that never had a passage is taken for none: a first build that was
    /// killed can be begun again.
    pub fn create(path: &Path, analyzer: Analyzer, options: WriterOptions) -> Result<Self, Error> {
        let engine_options = options.checked()?;
        if path.is_file() {
            return Err(Error::NotAFolder { path: path.to_path_buf() });
        }
        fs::create_dir_all(path).map_err(Error::io("create", path))?;
        match guarded(path, || open_index(path)) {
            Ok(_) if is_unfinished(path)? => clear(path)?,
            Ok(_) if !options.overwrite => return Err(Error::AlreadyExists { path: path.to_path_buf() }),
            Ok(index) => {
                if let Some(writer) = Self::overwrite(path, index, &analyzer, options, &engine_options)? {
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
        Self::create_empty(path, analyzer, options, &engine_options)
    }

    /// Opens the index in a folder for changes.
    ///
    /// # Errors
    ///
    /// Those of [`Bm25Index::open`](crate::Bm25Index::open), [`Error::Locked`], and [`Error::Argument`] for
    /// options out of range.
    pub fn open(path: &Path, options: WriterOptions) -> Result<Self, Error> {
        Self::open_expecting(path, None, options)
    }

    /// Opens the index in a folder for changes unless it was made with another analyzer.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), and [`Error::AnalyzerMismatch`].
    pub fn open_expecting(
        path: &Path,
        analyzer: Option<Analyzer>,
        options: WriterOptions,
    ) -> Result<Self, Error> {
        let engine_options = options.checked()?;
        guarded(path, || {
            let index = open_index(path)?;
            let engine = index
                .writer_with_options(engine_options)
                .map_err(|error| engine_error("open", path, error))?;
            let writer = Self::from_engine(path, index, engine, options)?;
            writer.committed.check_analyzer(analyzer.as_ref())?;
            writer.start_analyzing();
            // A writer that was killed may have left files whose names the next commit would give again.
            remove_temporary(path)?;
            writer.collect_garbage()?;
            Ok(writer)
        })
    }

    /// Passages that the index will have at the next commit.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.settings.passages
    }

    /// Whether the index will have no passage at the next commit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The analyzer that the index was made with.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        self.analyzer.clone()
    }

    /// Adds a passage. What is found is `title text`.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateId`] if a passage has this id, in the index or added before; [`Error::Argument`] for an
    /// id that is empty or longer than 65,530 bytes; [`Error::Full`] after 2^32 additions.
    pub fn add(&mut self, id: &str, title: Option<&str>, text: &str) -> Result<(), Error> {
        self.add_with_fields(id, title, text, &PassageFields::new())
    }

    /// Adds a passage with fields, which [`Filter`](crate::Filter)s look at and searches do not.
    ///
    /// # Errors
    ///
    /// Those of [`add`](Self::add), and [`Error::Part`] for fields beyond the limits of [`PassageFields`].
    pub fn add_with_fields(
        &mut self,
        id: &str,
        title: Option<&str>,
        text: &str,
        fields: &PassageFields,
    ) -> Result<(), Error> {
        check_id(id)?;
        self.check_changeable()?;
        check_fields(id, fields)?;
        if self.contains(id)? {
            return Err(Error::DuplicateId { id: id.to_owned() });
        }
        self.put(id, title, text, fields)
    }

    /// Adds a passage, in the place of the one with this id if there is one. Whether there was. The passage comes
    /// after all others, as one added now.
    ///
    /// # Errors
    ///
    /// Those of [`add`](Self::add) but for duplicates.
    pub fn update(&mut self, id: &str, title: Option<&str>, text: &str) -> Result<bool, Error> {
        self.update_with_fields(id, title, text, &PassageFields::new())
    }

    /// Adds a passage with fields, in the place of the one with this id, whose fields go with it.
    ///
    /// # Errors
    ///
    /// Those of [`add_with_fields`](Self::add_with_fields) but for duplicates.
    pub fn update_with_fields(
        &mut self,
        id: &str,
        title: Option<&str>,
        text: &str,
        fields: &PassageFields,
    ) -> Result<bool, Error> {
        check_id(id)?;
        self.check_changeable()?;
        check_fields(id, fields)?;
        let replaced = self.remove(id)?;
        self.put(id, title, text, fields)?;
        Ok(replaced)
    }

    /// Takes passages out and returns how many there were; unknown ids are passed over.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn delete<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<u64, Error> {
        self.check_changeable()?;
        let mut deleted = 0;
        for id in ids {
            deleted += u64::from(self.remove(id.as_ref())?);
        }
        Ok(deleted)
    }

    /// Makes all changes last: when this returns, they are on the disk, and what opens or reloads the index sees
    /// them. Segments may go on being merged in the background.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`]; [`Error::Io`] or [`Error::Engine`]: the index is then at the last commit or at this
    /// one, and the writer has to be rolled back.
    pub fn commit(&mut self) -> Result<(), Error> {
        self.check_changeable()?;
        let overwriting = self.overwriting;
        if let Err(error) = self.try_commit() {
            return Err(self.fail(error));
        }
        self.added.clear();
        self.removed.clear();
        if overwriting {
            self.collect_garbage()?;
            self.remove_other_tokenizers()?;
        }
        Ok(())
    }

    /// Undoes all changes since the last commit.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Engine`] or [`Error::Corrupt`] if the last commit cannot be read; nothing but
    /// another rollback is possible then.
    pub fn rollback(&mut self) -> Result<(), Error> {
        self.interrupted = true;
        let path = self.path.clone();
        guarded(&path, || {
            self.engine.rollback().map_err(|error| engine_error("roll back", &path, error))?;
            self.backlog.clear();
            self.merge_in_background(self.merges_in_background);
            self.reload()?;
            self.added.clear();
            self.removed.clear();
            if self.overwriting {
                return self.begin_overwriting();
            }
            self.settings = self.committed.settings.clone();
            Ok(())
        })?;
        self.interrupted = false;
        // What was undone has files, which may be what fills the disk.
        self.collect_garbage().ok();
        Ok(())
    }

    /// Says that changes which belong together ended half-way: everything is refused but a
    /// [rollback](Self::rollback).
    pub fn interrupt(&mut self) {
        self.interrupted = true;
    }

    /// Whether segments are merged while passages are added, as they are by default. Of no use to a build that ends
    /// with a [merge](Self::merge).
    pub fn merge_in_background(&mut self, merges: bool) {
        self.merges_in_background = merges;
        if merges {
            self.engine.set_merge_policy(Box::new(LogMergePolicy::default()));
        } else {
            self.engine.set_merge_policy(Box::new(NoMergePolicy));
        }
    }

    /// Merges what is committed into one segment, without the deleted passages, which stop counting in the
    /// statistics. Changes since the last commit are left for the next.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`]; [`Error::Io`], [`Error::Engine`] or [`Error::Corrupt`]; the index is then as it was.
    pub fn merge(&mut self) -> Result<(), Error> {
        self.check_changeable()?;
        if self.overwriting {
            return Ok(());
        }
        self.engine.set_merge_policy(Box::new(NoMergePolicy));
        let merged = merge_all(&mut self.engine, &self.index, &self.committed, &self.path);
        self.merge_in_background(self.merges_in_background);
        if merged.is_err() {
            // What a failed merge wrote may be what fills the disk.
            self.collect_garbage().ok();
        }
        merged?;
        self.reload()?;
        // The old segments' files are of no use; those that others have open stay until they are closed.
        self.collect_garbage()
    }

    /// Undoes all changes since the last commit, waits for merges in the background, and gives the lock back.
    /// Dropping the writer does the same but does not wait.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] or [`Error::Engine`] of a merge; the index is at the last commit all the same.
    pub fn close(self) -> Result<(), Error> {
        let path = self.path;
        self.engine.wait_merging_threads().map_err(|error| engine_error("merge", &path, error))
    }

    fn create_empty(
        path: &Path,
        analyzer: Analyzer,
        options: WriterOptions,
        engine_options: &IndexWriterOptions,
    ) -> Result<Self, Error> {
        let error = |error| engine_error("create", path, error);
        let index = new_index(path)?;
        let mut engine: tantivy::IndexWriter =
            index.writer_with_options(engine_options.clone()).map_err(error)?;
        write_tokenizer(path, &analyzer)?;
        let mut prepared = engine.prepare_commit().map_err(error)?;
        prepared.set_payload(&Settings::new(&analyzer).to_payload());
        prepared.commit().map_err(error)?;
        let writer = Self::from_engine(path, index, engine, options)?;
        writer.remove_other_tokenizers()?;
        writer.start_analyzing();
        Ok(writer)
    }

    /// A writer that will replace a sound index at its first commit; none if the index is not sound.
    fn overwrite(
        path: &Path,
        index: Index,
        analyzer: &Analyzer,
        options: WriterOptions,
        engine_options: &IndexWriterOptions,
    ) -> Result<Option<Self>, Error> {
        let opened = guarded(path, || {
            let engine = index.writer_with_options(engine_options.clone());
            let engine = engine.map_err(|error| engine_error("create", path, error))?;
            let mut writer = Self::from_engine(path, index, engine, options)?;
            remove_temporary(path)?;
            writer.collect_garbage()?;
            write_tokenizer(path, analyzer)?;
            writer.analyzer = analyzer.clone();
            writer.start_analyzing();
            writer.begin_overwriting()?;
            Ok(writer)
        });
        match opened {
            Ok(writer) => Ok(Some(writer)),
            Err(Error::Corrupt { .. } | Error::Version { .. } | Error::AnalyzerVersion { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn begin_overwriting(&mut self) -> Result<(), Error> {
        let cleared = self.engine.delete_all_documents();
        cleared.map_err(|error| engine_error("create", &self.path, error))?;
        self.settings = Settings::new(&self.analyzer);
        self.overwriting = true;
        Ok(())
    }

    /// Gives the engine the analyzer, and hears of what is analysed.
    fn start_analyzing(&self) {
        analyze_with(&self.index, self.analyzer.clone());
        self.backlog.watch(&self.index);
    }

    fn from_engine(
        path: &Path,
        index: Index,
        engine: tantivy::IndexWriter,
        options: WriterOptions,
    ) -> Result<Self, Error> {
        let mut checked = HashSet::new();
        let committed = Segments::open(&index, path, &mut checked, CHECKED_ON_OPEN)?;
        Ok(Self {
            path: path.to_path_buf(),
            index,
            engine,
            fields: committed.fields,
            settings: committed.settings.clone(),
            analyzer: committed.analyzer.clone(),
            committed,
            overwriting: false,
            checked,
            added: IdSet::default(),
            removed: IdSet::default(),
            backlog: Backlog::new(options.waiting()),
            interrupted: false,
            merges_in_background: true,
        })
    }

    fn check_changeable(&self) -> Result<(), Error> {
        if self.interrupted {
            return Err(Error::Interrupted { path: self.path.clone() });
        }
        Ok(())
    }

    fn try_commit(&mut self) -> Result<(), Error> {
        let error = |error| engine_error("commit", &self.path, error);
        let mut prepared = self.engine.prepare_commit().map_err(error)?;
        prepared.set_payload(&self.settings.to_payload());
        prepared.commit().map_err(error)?;
        self.overwriting = false;
        // The engine renames its file into place and leaves it to the system when that lasts.
        self.index.directory().sync_directory().map_err(Error::io("commit", &self.path))?;
        self.reload()
    }

    /// Undoes at once what may be half done, which merges in the background would else write; the caller is told
    /// of it by everything that follows.
    fn fail(&mut self, error: Error) -> Error {
        self.rollback().ok();
        self.interrupted = true;
        error
    }

    fn reload(&mut self) -> Result<(), Error> {
        let (index, path, checked) = (&self.index, &self.path, &mut self.checked);
        // What this writer wrote a moment ago need not be read back to be checked.
        self.committed = guarded(path, || Segments::open(index, path, checked, 0))?;
        Ok(())
    }

    fn contains(&self, id: &str) -> Result<bool, Error> {
        Ok(self.added.contains(id) || self.is_committed(id)?)
    }

    /// Whether the last commit has a passage with this id that was not deleted since.
    fn is_committed(&self, id: &str) -> Result<bool, Error> {
        if self.overwriting || self.committed.segments.is_empty() || self.removed.contains(id) {
            return Ok(false);
        }
        guarded(&self.path, || Ok(self.committed.find_id(id)?.is_some()))
    }

    fn put(
        &mut self,
        id: &str,
        title: Option<&str>,
        text: &str,
        fields: &PassageFields,
    ) -> Result<(), Error> {
        if self.settings.next_ord > u64::from(u32::MAX) {
            return Err(Error::Full { path: self.path.clone() });
        }
        let mut document = TantivyDocument::new();
        match title {
            Some(title) => document.add_text(self.fields.contents, format!("{title} {text}")),
            None => document.add_text(self.fields.contents, text),
        }
        // As long as what the analyzer is given.
        self.backlog.enter(title.map_or(0, |title| title.len() + 1) + text.len());
        document.add_text(self.fields.id, id);
        document.add_u64(self.fields.ord, self.settings.next_ord);
        if !fields.is_empty() {
            document.add_object(self.fields.fields, to_engine(fields));
        }
        if let Err(error) = self.engine.add_document(document) {
            // The thread that failed says why only when it is waited for.
            let cause = self.engine.prepare_commit().err().unwrap_or(error);
            return Err(self.fail(engine_error("add", &self.path, cause)));
        }
        self.settings.next_ord += 1;
        self.settings.passages += 1;
        self.added.insert(id);
        Ok(())
    }

    fn remove(&mut self, id: &str) -> Result<bool, Error> {
        if !self.added.remove(id) {
            if !self.is_committed(id)? {
                return Ok(false);
            }
            self.removed.insert(id);
        }
        self.engine.delete_term(Term::from_field_text(self.fields.id, id));
        self.settings.passages -= 1;
        Ok(true)
    }

    /// Removes the files of segments that are no more.
    fn collect_garbage(&self) -> Result<(), Error> {
        let collected = self.engine.garbage_collect_files().wait();
        collected.map(|_| ()).map_err(|error| engine_error("remove old files of", &self.path, error))
    }

    /// Removes copies of tokenizers that the last commit does not use.
    fn remove_other_tokenizers(&self) -> Result<(), Error> {
        let lock = self.index.directory().acquire_lock(&META_LOCK);
        let failed = |error| engine_error("remove", &self.path, TantivyError::LockFailure(error, None));
        let _lock = lock.map_err(failed)?;
        remove_copies(&self.path, self.committed.analyzer.tokenizer_copy(&self.path).as_deref())
    }
}

impl std::fmt::Debug for IndexWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexWriter").field("path", &self.path).field("settings", &self.settings).finish()
    }
}

/// Puts the tokenizer of an analyzer that has one beside the index, before the commit that needs it.
fn write_tokenizer(path: &Path, analyzer: &Analyzer) -> Result<(), Error> {
    analyzer.word_pieces().map_or(Ok(()), |pieces| pieces.write_copy(path))
}

fn check_id(id: &str) -> Result<(), Error> {
    if id.is_empty() || id.len() > LONGEST_ID {
        let got = format!("{} bytes", id.len());
        return Err(Error::Argument { what: "id", expected: "1 to 65530 bytes", got });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bm25Index;

    #[test]
    fn collecting_garbage_spares_an_index_that_is_yet_to_be_overwritten() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = WriterOptions { overwrite: true, ..WriterOptions::default() };
        let mut writer =
            IndexWriter::create(folder.path(), Analyzer::SIMPLE, options).expect("an empty folder");
        writer.add("a", None, "old").expect("a new id");
        writer.commit().expect("a commit");
        drop(writer);
        let mut writer =
            IndexWriter::create(folder.path(), Analyzer::SIMPLE, options).expect("an index to replace");
        writer.add("a", None, "new").expect("an id of the old index only");
        writer.collect_garbage().expect("nothing that could fail");
        drop(writer);
        assert_eq!(Bm25Index::open(folder.path()).expect("the old index").len(), 1);
    }
}
