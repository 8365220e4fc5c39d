//! Changing an index.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tantivy::directory::{Directory, META_LOCK};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::{Index, TantivyDocument, TantivyError, Term};

use crate::fields::{PassageFields, check_fields, to_engine};
use crate::folder::{clear, is_unfinished, new_index};
use crate::integrity::{CHECKED_ON_OPEN, engine_error, guarded};
use crate::schema::{Fields, Settings};
use crate::segments::{Segments, analyze_with, open_index};
use crate::word_pieces::remove_copies;
use crate::writer_options::WriterOptions;
use crate::{Analyzer, Error};

/// How often a merge of the same segments is tried again, 5 ms apart.
const MERGE_RETRIES: u32 = 200;

/// The engine takes no longer terms.
const LONGEST_ID: usize = 65_530;

/// Changes a BM25 index. There is one at a time, across processes. What it does is seen, all at once, when it
/// [commits](Self::commit), and undone if it is dropped before.
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
    added: HashSet<Box<str>>,
    /// Ids of the last commit deleted since.
    removed: HashSet<Box<str>>,
}

impl IndexWriter {
    /// Makes an empty index in a folder, which is made if there is none. Where an index is overwritten, it stays
    /// until the first commit.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] unless told to overwrite; [`Error::NotAFolder`]; [`Error::NotAnIndex`] for
    /// another program's index, which is never overwritten; [`Error::Locked`]; [`Error::Argument`] for options
    /// out of range; [`Error::Io`].
    pub fn create(path: &Path, analyzer: Analyzer, options: WriterOptions) -> Result<Self, Error> {
        let engine_options = options.checked()?;
        if path.is_file() {
            return Err(Error::NotAFolder { path: path.to_path_buf() });
        }
        fs::create_dir_all(path).map_err(Error::io("create", path))?;
        match guarded(path, || open_index(path)) {
            Ok(_) if !options.overwrite => return Err(Error::AlreadyExists { path: path.to_path_buf() }),
            Ok(index) => {
                if let Some(writer) = Self::overwrite(path, index, &analyzer, &engine_options)? {
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
        Self::create_empty(path, analyzer, &engine_options)
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
            let writer = Self::from_engine(path, index, engine)?;
            writer.committed.check_analyzer(analyzer.as_ref())?;
            analyze_with(&writer.index, writer.analyzer.clone());
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
    /// [`Error::Io`] or [`Error::Engine`]; the index is then at the last commit or at this one.
    pub fn commit(&mut self) -> Result<(), Error> {
        let error = |error| engine_error("commit", &self.path, error);
        let mut prepared = self.engine.prepare_commit().map_err(error)?;
        prepared.set_payload(&self.settings.to_payload());
        prepared.commit().map_err(error)?;
        self.reload()?;
        self.added.clear();
        self.removed.clear();
        if std::mem::take(&mut self.overwriting) {
            self.collect_garbage()?;
            self.remove_other_tokenizers()?;
        }
        Ok(())
    }

    /// Merges what is committed into one segment, without the deleted passages, which stop counting in the
    /// statistics. Changes since the last commit are left for the next.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Engine`] or [`Error::Corrupt`]; the index is then as it was.
    pub fn merge(&mut self) -> Result<(), Error> {
        if self.overwriting {
            return Ok(());
        }
        self.engine.set_merge_policy(Box::new(NoMergePolicy));
        let merged = self.merge_all();
        self.engine.set_merge_policy(Box::new(LogMergePolicy::default()));
        merged?;
        self.reload()?;
        // The old segments' files are of no use; those that others have open stay until they are closed.
        self.engine
            .garbage_collect_files()
            .wait()
            .map_err(|error| engine_error("merge", &self.path, error))?;
        Ok(())
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

    fn create_empty(path: &Path, analyzer: Analyzer, options: &IndexWriterOptions) -> Result<Self, Error> {
        let error = |error| engine_error("create", path, error);
        let index = new_index(path)?;
        let mut engine: tantivy::IndexWriter = index.writer_with_options(options.clone()).map_err(error)?;
        write_tokenizer(path, &analyzer)?;
        let mut prepared = engine.prepare_commit().map_err(error)?;
        prepared.set_payload(&Settings::new(&analyzer).to_payload());
        prepared.commit().map_err(error)?;
        let writer = Self::from_engine(path, index, engine)?;
        writer.remove_other_tokenizers()?;
        analyze_with(&writer.index, analyzer);
        Ok(writer)
    }

    /// A writer that will replace a sound index at its first commit; none if the index is not sound.
    fn overwrite(
        path: &Path,
        index: Index,
        analyzer: &Analyzer,
        options: &IndexWriterOptions,
    ) -> Result<Option<Self>, Error> {
        let opened = guarded(path, || {
            let engine = index.writer_with_options(options.clone());
            let engine = engine.map_err(|error| engine_error("create", path, error))?;
            let mut writer = Self::from_engine(path, index, engine)?;
            let cleared = writer.engine.delete_all_documents();
            cleared.map_err(|error| engine_error("create", path, error))?;
            write_tokenizer(path, analyzer)?;
            analyze_with(&writer.index, analyzer.clone());
            writer.settings = Settings::new(analyzer);
            writer.analyzer = analyzer.clone();
            writer.overwriting = true;
            Ok(writer)
        });
        match opened {
            Ok(writer) => Ok(Some(writer)),
            Err(Error::Corrupt { .. } | Error::Version { .. } | Error::AnalyzerVersion { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn from_engine(path: &Path, index: Index, engine: tantivy::IndexWriter) -> Result<Self, Error> {
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
            added: HashSet::new(),
            removed: HashSet::new(),
        })
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
        if self.overwriting || self.removed.contains(id) {
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
        document.add_text(self.fields.id, id);
        document.add_u64(self.fields.ord, self.settings.next_ord);
        if !fields.is_empty() {
            document.add_object(self.fields.fields, to_engine(fields));
        }
        self.engine.add_document(document).map_err(|error| engine_error("add", &self.path, error))?;
        self.settings.next_ord += 1;
        self.settings.passages += 1;
        self.added.insert(id.into());
        Ok(())
    }

    fn remove(&mut self, id: &str) -> Result<bool, Error> {
        if !self.added.remove(id) {
            if !self.is_committed(id)? {
                return Ok(false);
            }
            self.removed.insert(id.into());
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

    fn merge_all(&mut self) -> Result<(), Error> {
        let error = |error| engine_error("merge", &self.path, error);
        let (mut tried, mut failures) = (Vec::new(), 0);
        loop {
            let mut segments = self.index.searchable_segment_metas().map_err(error)?;
            if segments.len() <= usize::from(segments.iter().all(|segment| !segment.has_deletes())) {
                return Ok(());
            }
            // In the order of their passages, as far as segments do not overlap.
            let first_ord = |id| {
                let opened = self.committed.segments.iter().find(|segment| segment.reader.segment_id() == id);
                opened.and_then(|segment| segment.passages.ord_range()).map_or(u32::MAX, |(first, _)| first)
            };
            segments.sort_by_key(|segment| first_ord(segment.id()));
            let ids: Vec<_> = segments.iter().map(tantivy::SegmentMeta::id).collect();
            failures = if ids == tried { failures } else { 0 };
            tried.clone_from(&ids);
            match self.engine.merge(&ids).wait() {
                // A merge in the background took some of the segments first; the list will say so in a moment.
                Err(TantivyError::InvalidArgument(_)) if failures < MERGE_RETRIES => {
                    failures += 1;
                    std::thread::sleep(Duration::from_millis(5));
                }
                result => {
                    result.map_err(error)?;
                }
            }
        }
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
