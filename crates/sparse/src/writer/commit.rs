//! Commits changes, undoes them, and merges segments.

use std::sync::Arc;

use tantivy::TantivyError;
use tantivy::directory::{Directory, META_LOCK};
use tantivy::indexer::NoMergePolicy;

use super::IndexWriter;
use super::merge_policy::GeometricMergePolicy;
use super::open::open_tantivy_writer;
use crate::Error;
use crate::analysis::word_pieces::remove_copies;
use crate::index::folder::remove_other_segments;
use crate::index::open::{lock_files, open_again};
use crate::index::snapshot::Snapshot;
use crate::index::tantivy_error::tantivy_error;
use crate::search::searcher::Searcher;
use crate::writer::merge::merge_all;

impl IndexWriter {
    /// Commits all changes. When this returns, they are on disk, and visible in every index that is opened or reloaded
    /// from then on. Merges may continue in the background.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if the writer must be rolled back first; [`Error::Io`] or [`Error::Engine`] if the commit
    /// fails. The index then has either the previous commit or the new one, and the writer must be rolled back.
    pub fn commit(&mut self) -> Result<(), Error> {
        self.check_changeable()?;
        let was_overwriting = self.is_overwriting;
        if let Err(error) = self.try_commit() {
            return Err(self.fail(error));
        }
        self.added.clear();
        self.removed.clear();
        if was_overwriting {
            self.collect_garbage()?;
            self.remove_other_tokenizers()?;
        }
        Ok(())
    }

    /// Undoes all changes since the last commit.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Engine`] or [`Error::Corrupt`] if the last commit cannot be read. The writer then
    /// rejects everything but another rollback.
    pub fn rollback(&mut self) -> Result<(), Error> {
        self.is_interrupted = true;
        self.is_tantivy_writer_lost = true;
        // tantivy's own rollback does not wait for the merges of the writer that it replaces: they could still write a
        // list of segments, and remove files. So the new writer gets a directory of its own, and the old one is
        // released.
        self.directory = self.directory.successor();
        self.unfinished_commit = None;
        let opened = open_again(&self.path, self.fields, self.directory.clone())?;
        (self.index, self.analysis) = (opened.index, opened.analysis);
        self.start_analyzing();
        let options = self.options.to_tantivy()?;
        self.tantivy_writer = open_tantivy_writer(&self.index, &options, "roll back", &self.path)?;
        self.is_tantivy_writer_lost = false;
        self.backlog.clear();
        self.merge_in_background(self.merges_in_background);
        self.reload()?;
        self.added.clear();
        self.removed.clear();
        if self.is_overwriting {
            self.begin_overwriting()?;
        } else {
            self.payload = self.committed.index.payload.clone();
        }
        self.is_interrupted = false;
        // The files of the undone changes are removed now, because they may be what fills the disk. If a commit failed
        // after it replaced `meta.json`, that must be durable before the files of the previous commit are removed.
        if self.index.directory().sync_directory().is_ok() {
            self.collect_garbage().ok();
        }
        Ok(())
    }

    /// Marks the changes since the last commit as incomplete: everything but a [rollback](Self::rollback) is rejected
    /// from now on.
    pub fn interrupt(&mut self) {
        self.is_interrupted = true;
    }

    /// Calls `work`, which makes changes and counts them in its second argument. If `work` fails after the first
    /// change, the writer is [interrupted](Self::interrupt), so that none of the changes is committed.
    ///
    /// # Errors
    ///
    /// Those of `work`.
    pub fn all_or_none<T, E>(
        &mut self,
        work: impl FnOnce(&mut Self, &mut u64) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut change_count = 0;
        let result = work(self, &mut change_count);
        if result.is_err() && change_count > 0 {
            self.interrupt();
        }
        result
    }

    /// Sets whether segments are merged in the background while passages are added. By default, they are. A build that
    /// ends with a [merge](Self::merge) does not need background merges.
    pub fn merge_in_background(&mut self, merges: bool) {
        self.merges_in_background = merges;
        if merges {
            self.tantivy_writer.set_merge_policy(Box::new(GeometricMergePolicy));
        } else {
            self.tantivy_writer.set_merge_policy(Box::new(NoMergePolicy));
        }
    }

    /// Merges all committed segments into one segment without deleted passages. The deleted passages then no longer
    /// count in the statistics. Changes since the last commit remain uncommitted. A writer that is overwriting an index
    /// merges nothing before its first commit.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if the writer must be rolled back first; [`Error::Io`], [`Error::Engine`] or
    /// [`Error::Corrupt`] if the merge fails. The index is then unchanged. [`Error::Engine`] also occurs if there are
    /// uncommitted changes and an earlier background merge could not be recorded in the list of segments. After the
    /// next commit or a [rollback](Self::rollback), merging works again.
    pub fn merge(&mut self) -> Result<(), Error> {
        self.check_changeable()?;
        if self.is_overwriting {
            return Ok(());
        }
        let mut merged = self.merge_committed();
        if merged.as_ref().is_err_and(has_unknown_segments)
            && self.added.is_empty()
            && self.removed.is_empty()
        {
            // A background merge finished but could not be recorded, for example because the disk was full. tantivy's
            // writer then has the merged segment in place of the committed ones. A rollback restores the committed
            // ones.
            self.rollback()?;
            merged = self.merge_committed();
        }
        if merged.is_err() {
            // The files of a failed merge may be what fills the disk.
            self.collect_garbage().ok();
        }
        merged?;
        self.reload()?;
        // Files of merged segments that other readers have open remain until the readers close them.
        self.collect_garbage()
    }

    fn merge_committed(&mut self) -> Result<(), Error> {
        self.tantivy_writer.set_merge_policy(Box::new(NoMergePolicy));
        let merged = merge_all(&mut self.tantivy_writer, &self.index, &self.committed.index, &self.path);
        self.merge_in_background(self.merges_in_background);
        merged
    }

    /// Undoes all changes since the last commit, waits for background merges, and releases the writer lock. Dropping
    /// the writer does the same without waiting.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] or [`Error::Engine`] if one of tantivy's threads failed. The index still has the last commit.
    pub fn close(self) -> Result<(), Error> {
        if self.is_tantivy_writer_lost {
            // It could write nothing any more, and would only report that.
            return Ok(());
        }
        let path = self.path;
        self.tantivy_writer.wait_merging_threads().map_err(|error| tantivy_error("merge", &path, error))
    }

    fn try_commit(&mut self) -> Result<(), Error> {
        let error = |error| tantivy_error("commit", &self.path, error);
        // After a panic in a commit, that commit ends here.
        self.unfinished_commit = None;
        self.unfinished_commit = Some(self.directory.begin_commit());
        let mut prepared = self.tantivy_writer.prepare_commit().map_err(error)?;
        prepared.set_payload(&self.payload.to_json());
        prepared.commit().map_err(error)?;
        self.unfinished_commit = None;
        self.is_overwriting = false;
        self.reload()
    }

    /// Undoes changes that may be incomplete. It does so immediately, because background merges could otherwise
    /// write them. All further changes, commits and merges fail until the caller rolls back too. Returns `error`.
    pub(super) fn fail(&mut self, error: Error) -> Error {
        self.rollback().ok();
        self.is_interrupted = true;
        error
    }

    fn reload(&mut self) -> Result<(), Error> {
        // Files that this writer has just written need no verification.
        let previous = Some(&self.committed.index);
        let snapshot = Snapshot::open_after(previous, &self.index, &self.path, &mut self.verified, 0)?;
        self.committed = Arc::new(Searcher::new(snapshot));
        Ok(())
    }

    /// Removes the files of segments that are no longer in use.
    pub(super) fn collect_garbage(&self) -> Result<(), Error> {
        let collected = self.tantivy_writer.garbage_collect_files().wait();
        collected.map(|_| ()).map_err(|error| tantivy_error("remove old files of", &self.path, error))
    }

    /// Removes all segment files that do not belong to the last commit, even if tantivy's own list of files
    /// (`.managed.json`) does not contain them. After a power loss, this list may be older than the files.
    pub(super) fn remove_unlisted_segments(&self) -> Result<(), Error> {
        let _lock = lock_files(&self.index, &self.path)?;
        let meta = self.index.load_metas().map_err(|error| tantivy_error("open", &self.path, error))?;
        remove_other_segments(&self.path, &meta.list_segment_files())
    }

    /// Removes copies of tokenizers that the last commit does not use.
    pub(super) fn remove_other_tokenizers(&self) -> Result<(), Error> {
        let lock = self.index.directory().acquire_lock(&META_LOCK);
        let failed = |error| tantivy_error("remove", &self.path, TantivyError::LockFailure(error, None));
        let _lock = lock.map_err(failed)?;
        remove_copies(&self.path, self.committed.index.analyzer.tokenizer_copy(&self.path).as_deref())
    }
}

/// Returns true if a merge failed because tantivy's writer does not know the segments of the last commit.
fn has_unknown_segments(error: &Error) -> bool {
    let Error::Engine { source, .. } = error else { return false };
    matches!(source.downcast_ref(), Some(TantivyError::InvalidArgument(_)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::Bm25Index;
    use crate::index::snapshot::Residency;
    use crate::{Analyzer, WriterOptions};

    #[test]
    fn a_failed_rollback_can_be_repeated_once_the_folder_exists_again() {
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
    fn a_commit_replaces_a_file_of_deletions_that_a_failed_commit_left() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = IndexWriter::create(folder.path(), Analyzer::SIMPLE, WriterOptions::default())
            .expect("an empty folder");
        for id in ["a", "b"] {
            writer.add(id, None, "stone bridge").expect("a new id");
        }
        writer.commit().expect("a commit");
        let meta = writer.index.load_metas().expect("a commit");
        let segment = meta.segments[0].id().uuid_string();
        // The next commit has one of the next nine operation stamps. Its file of deletions is named after the stamp.
        let leftovers: Vec<_> = (1..10)
            .map(|after| folder.path().join(format!("{segment}.{}.del", meta.opstamp + after)))
            .collect();
        for file in &leftovers {
            fs::write(file, "left").expect("a new file");
        }
        writer.delete(&["a"]).expect("a working writer");
        writer.commit().expect("a commit");
        let is_replaced = |file: &std::path::PathBuf| fs::read(file).is_ok_and(|content| content != b"left");
        assert_eq!(leftovers.iter().filter(|file| is_replaced(file)).count(), 1);
        let index = Bm25Index::open(folder.path()).expect("an intact index");
        assert_eq!((index.len(), index.searcher().live_ords().iter().collect::<Vec<_>>()), (1, vec![1]));
    }

    #[test]
    fn files_that_a_writer_has_just_written_count_as_resident() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = IndexWriter::create(folder.path(), Analyzer::SIMPLE, WriterOptions::default())
            .expect("an empty folder");
        for id in ["a", "b", "c"] {
            writer.add(id, None, "stone bridge").expect("a new id");
            writer.commit().expect("a commit");
            let searcher = writer.searcher().expect("a commit");
            assert!(searcher.is_resident() && searcher.are_contents_resident());
        }
        writer.delete(&["a"]).expect("a working writer");
        writer.commit().expect("a commit");
        writer.merge().expect("a merge");
        let searcher = writer.searcher().expect("a commit");
        assert!(searcher.is_resident() && searcher.len() == 2);
        // This snapshot is opened independently of `writer`, and no file is read to verify its checksum (the limit is 0
        // bytes). So the files do not count as resident.
        let mut snapshot =
            Snapshot::open(&writer.index, folder.path(), &mut Default::default(), 0).expect("a commit");
        assert_eq!(snapshot.residency, Residency { searched: false, all: false });
        writer.add("d", None, "stone bridge").expect("a new id");
        writer.commit().expect("a commit");
        // After a commit, files count as resident if those of the previous snapshot did.
        let after = |previous: &Snapshot| {
            Snapshot::open_after(Some(previous), &writer.index, folder.path(), &mut Default::default(), 0)
                .expect("a commit")
        };
        for residency in [(false, false), (true, false), (true, true)] {
            snapshot.residency = Residency { searched: residency.0, all: residency.1 };
            assert_eq!(after(&snapshot).residency, snapshot.residency);
        }
    }

    #[test]
    fn collecting_garbage_keeps_an_index_that_the_next_commit_will_overwrite() {
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

    /// Returns a writer that merged two segments but could not record the merge in the list of segments.
    fn writer_with_unrecorded_merge(folder: &Path) -> IndexWriter {
        let mut writer =
            IndexWriter::create(folder, Analyzer::SIMPLE, WriterOptions::default()).expect("an empty folder");
        writer.merge_in_background(false);
        for id in ["a", "b"] {
            writer.add(id, None, "stone bridge").expect("a new id");
            writer.commit().expect("a commit");
        }
        let segments = writer.index.searchable_segment_ids().expect("the list of segments");
        assert_eq!(segments.len(), 2);
        // A folder in place of the list cannot be replaced by a file.
        let (list, aside) = (folder.join("meta.json"), folder.join("aside"));
        fs::rename(&list, &aside).expect("a list");
        fs::create_dir(&list).expect("a free name");
        writer.tantivy_writer.merge(&segments).wait().expect_err("a list that cannot be written");
        fs::remove_dir(&list).expect("an empty folder");
        fs::rename(&aside, &list).expect("a free name");
        writer
    }

    /// Checks that the index is intact and has one segment and this number of passages.
    fn check_merged(folder: &Path, writer: &IndexWriter, passages: u64) {
        assert_eq!(writer.index.searchable_segment_ids().expect("the list of segments").len(), 1);
        let index = Bm25Index::open(folder).expect("an intact index");
        index.verify().expect("intact files");
        assert_eq!(index.len(), passages);
    }

    #[test]
    fn a_merge_that_could_not_be_recorded_is_repeated() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = writer_with_unrecorded_merge(folder.path());
        writer.merge().expect("another merge");
        check_merged(folder.path(), &writer, 2);
    }

    #[test]
    fn changes_are_not_lost_to_a_merge_that_could_not_be_recorded() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = writer_with_unrecorded_merge(folder.path());
        writer.add("c", None, "stone bridge").expect("a new id");
        let error = writer.merge().expect_err("uncommitted changes, so no rollback");
        assert!(matches!(error, Error::Engine { .. }), "{error:?}");
        writer.commit().expect("a commit");
        writer.merge().expect("another merge");
        check_merged(folder.path(), &writer, 3);
    }
}
