//! Making changes last, undoing them, merging.

use tantivy::TantivyError;
use tantivy::directory::{Directory, META_LOCK};
use tantivy::indexer::{LogMergePolicy, NoMergePolicy};

use super::IndexWriter;
use super::open::skip_stamp_of_commit;
use crate::Error;
use crate::analysis::word_pieces::remove_copies;
use crate::index::integrity::{engine_error, guarded};
use crate::index::snapshot::Snapshot;
use crate::writer::merge::merge_all;

impl IndexWriter {
    /// Makes all changes last: when this returns, they are on the disk, and what opens or reloads the index sees
    /// them. Snapshot may go on being merged in the background.
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
            let engine_lost = std::mem::replace(&mut self.engine_lost, true);
            let made = if engine_lost {
                self.index.writer_with_options(self.options.checked()?).map(|engine| self.engine = engine)
            } else {
                self.engine.rollback().map(drop)
            };
            let made = made.and_then(|()| skip_stamp_of_commit(&self.engine));
            made.map_err(|error| engine_error("roll back", &path, error))?;
            self.engine_lost = false;
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
    /// An [`Error::Engine`] may be that a merge in the background could not be written down and that there are changes
    /// since the last commit: after the next commit, or a [rollback](Self::rollback), merging works again.
    pub fn merge(&mut self) -> Result<(), Error> {
        self.check_changeable()?;
        if self.overwriting {
            return Ok(());
        }
        let mut merged = self.merge_committed();
        if merged.as_ref().is_err_and(is_out_of_step) && self.added.is_empty() && self.removed.is_empty() {
            // A merge in the background was done and could not be written down, as on a full disk: the engine is ahead of the
            // last commit, to which it goes back.
            self.rollback()?;
            merged = self.merge_committed();
        }
        if merged.is_err() {
            // What a failed merge wrote may be what fills the disk.
            self.collect_garbage().ok();
        }
        merged?;
        self.reload()?;
        // The old segments' files are of no use; those that others have open stay until they are closed.
        self.collect_garbage()
    }

    fn merge_committed(&mut self) -> Result<(), Error> {
        self.engine.set_merge_policy(Box::new(NoMergePolicy));
        let merged = merge_all(&mut self.engine, &self.index, &self.committed, &self.path);
        self.merge_in_background(self.merges_in_background);
        merged
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

    fn try_commit(&mut self) -> Result<(), Error> {
        let error = |error| engine_error("commit", &self.path, error);
        let mut prepared = self.engine.prepare_commit().map_err(error)?;
        prepared.set_payload(&self.settings.to_json());
        prepared.commit().map_err(error)?;
        self.overwriting = false;
        // The engine renames its file into place and leaves it to the system when that lasts.
        self.index.directory().sync_directory().map_err(Error::io("commit", &self.path))?;
        self.reload()
    }

    /// Undoes at once what may be half done, which merges in the background would else write; the caller is told
    /// of it by everything that follows.
    pub(super) fn fail(&mut self, error: Error) -> Error {
        self.rollback().ok();
        self.interrupted = true;
        error
    }

    fn reload(&mut self) -> Result<(), Error> {
        let (index, path, checked) = (&self.index, &self.path, &mut self.checked);
        // What this writer wrote a moment ago need not be read back to be checked.
        self.committed = guarded(path, || Snapshot::open(index, path, checked, 0))?;
        Ok(())
    }

    /// Removes the files of segments that are no more.
    pub(super) fn collect_garbage(&self) -> Result<(), Error> {
        let collected = self.engine.garbage_collect_files().wait();
        collected.map(|_| ()).map_err(|error| engine_error("remove old files of", &self.path, error))
    }

    /// Removes copies of tokenizers that the last commit does not use.
    pub(super) fn remove_other_tokenizers(&self) -> Result<(), Error> {
        let lock = self.index.directory().acquire_lock(&META_LOCK);
        let failed = |error| engine_error("remove", &self.path, TantivyError::LockFailure(error, None));
        let _lock = lock.map_err(failed)?;
        remove_copies(&self.path, self.committed.analyzer.tokenizer_copy(&self.path).as_deref())
    }
}

/// Whether the engine does not know the segments of the last commit.
fn is_out_of_step(error: &Error) -> bool {
    let Error::Engine { source, .. } = error else { return false };
    matches!(source.downcast_ref(), Some(TantivyError::InvalidArgument(_)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::Bm25Index;
    use crate::{Analyzer, WriterOptions};

    #[test]
    fn a_rollback_that_failed_is_possible_again_once_the_folder_is_there() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let (folder, aside) = (parent.path().join("index"), parent.path().join("aside"));
        let mut writer =
            IndexWriter::create(&folder, Analyzer::SIMPLE, WriterOptions::default()).expect("a free name");
        writer.add("a", None, "stone").expect("a new id");
        writer.commit().expect("a commit");
        writer.add("b", None, "steel").expect("a new id");
        fs::rename(&folder, &aside).expect("a free name");
        for _ in 0..3 {
            let error = writer.rollback().expect_err("no folder");
            assert!(matches!(error, Error::Io { operation: "roll back", .. }), "{error:?}");
        }
        assert!(matches!(writer.commit(), Err(Error::Interrupted { .. })));
        fs::rename(&aside, &folder).expect("a free name");
        writer.rollback().expect("a folder again");
        writer.add("c", None, "wood").expect("a new id");
        writer.commit().expect("a commit");
        assert_eq!(Bm25Index::open(&folder).expect("an index").len(), 2);
        assert!(matches!(IndexWriter::open(&folder, WriterOptions::default()), Err(Error::Locked { .. })));
    }

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

    /// A writer of two segments that were merged, which could not be written down.
    fn ahead_of_its_list(folder: &Path) -> IndexWriter {
        let mut writer =
            IndexWriter::create(folder, Analyzer::SIMPLE, WriterOptions::default()).expect("an empty folder");
        writer.merge_in_background(false);
        for id in ["a", "b"] {
            writer.add(id, None, "stone bridge").expect("a new id");
            writer.commit().expect("a commit");
        }
        let segments = writer.index.searchable_segment_ids().expect("the list of segments");
        assert_eq!(segments.len(), 2);
        // In place of the list a folder, which no file replaces.
        let (list, aside) = (folder.join("meta.json"), folder.join("aside"));
        fs::rename(&list, &aside).expect("a list");
        fs::create_dir(&list).expect("a free name");
        writer.engine.merge(&segments).wait().expect_err("a list that cannot be written");
        fs::remove_dir(&list).expect("an empty folder");
        fs::rename(&aside, &list).expect("a free name");
        writer
    }

    fn check_merged(folder: &Path, writer: &IndexWriter, passages: u64) {
        assert_eq!(writer.index.searchable_segment_ids().expect("the list of segments").len(), 1);
        let index = Bm25Index::open(folder).expect("a sound index");
        index.verify().expect("sound files");
        assert_eq!(index.len(), passages);
    }

    #[test]
    fn what_was_merged_and_could_not_be_written_down_is_merged_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = ahead_of_its_list(folder.path());
        writer.merge().expect("another merge");
        check_merged(folder.path(), &writer, 2);
    }

    #[test]
    fn changes_are_not_lost_to_a_merge_that_could_not_be_written_down() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = ahead_of_its_list(folder.path());
        writer.add("c", None, "stone bridge").expect("a new id");
        let error = writer.merge().expect_err("changes that going back would undo");
        assert!(matches!(error, Error::Engine { .. }), "{error:?}");
        writer.commit().expect("a commit");
        writer.merge().expect("another merge");
        check_merged(folder.path(), &writer, 3);
    }
}
