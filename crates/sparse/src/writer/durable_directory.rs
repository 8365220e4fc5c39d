//! The folder of an index, as tantivy reads and writes it.
//!
//! It is tantivy's own `MmapDirectory` with six differences:
//!
//! - A commit is durable before tantivy removes the files of the previous commit. tantivy renames the new list of
//!   segments to `meta.json` and then removes files, but does not flush the folder in between. After a power loss, the
//!   old list could be back, without its files.
//! - A handle whose writer was closed or rolled back neither creates, replaces nor removes files. Otherwise, a merge
//!   that ends at that moment could write its list of segments later, and so undo a commit of the next writer. It could
//!   also remove segments that the last commit contains: tantivy does not record a merge that ends during a rollback,
//!   but it removes the files of the merged segments all the same.
//! - `.managed.json`, tantivy's list of the files that it may remove, is written once per commit, before `meta.json`.
//!   tantivy writes and flushes it for each new file, about ten times per commit. After a power loss, the list may lack
//!   some files that belong to no commit; opening a writer removes these.
//! - After a failed commit, `meta.json` is not replaced any more. tantivy counts the segments of the failed commit as
//!   committed, so a merge that ends before the rollback could otherwise write them to `meta.json` with the payload of
//!   the previous commit. The rollback passes the writer lock to another `DurableDirectory`.
//! - A file of deletions may replace one of the same name. tantivy names it after the segment and the operation stamp
//!   of the commit, and after a rollback, it counts stamps from the last commit again. If a merge still uses the
//!   segment while the rollback removes files, the file of the failed commit stays, and the next commit may have the
//!   same stamp.
//! - `meta.json` and `.managed.json` have the permissions of a new file. tantivy gives them those of a private temporary
//!   file, so that only the user who made the commit could read the index.

use std::io::{Error, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, INDEX_WRITER_LOCK, Lock, MmapDirectory, WatchCallback, WatchHandle,
    WritePtr,
};

/// The list of segments.
const LIST: &str = "meta.json";

/// The list of the files that tantivy may remove.
const MANAGED: &str = ".managed.json";

/// The extension of the files of deletions.
const DELETIONS: &str = "del";

/// Reads and writes the files of an index.
#[derive(Debug, Clone)]
pub(crate) struct DurableDirectory {
    path: PathBuf,
    files: MmapDirectory,
    /// Held while a file is created, replaced or removed.
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Whether the writer lock was released, or passed to a [successor](DurableDirectory::successor).
    is_released: bool,
    /// The writer lock, while a writer holds it.
    writer_lock: Option<DirectoryLock>,
    /// The writer lock of a [predecessor](DurableDirectory::successor), until the next writer acquires it.
    inherited_lock: Option<DirectoryLock>,
    /// The new content of `.managed.json`, if it has not been written yet.
    managed: Option<Vec<u8>>,
    /// Whether a commit is in progress.
    is_committing: bool,
    /// The first failure to replace `meta.json` or to flush the folder since the commit began.
    failure: Option<Error>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("is_released", &self.is_released).finish_non_exhaustive()
    }
}

impl State {
    fn write_managed(&mut self, folder: &Path) -> Result<()> {
        if let Some(managed) = &self.managed {
            replace(folder, Path::new(MANAGED), managed)?;
            self.managed = None;
        }
        Ok(())
    }

    fn write_list(&mut self, folder: &Path, list: &[u8]) -> Result<()> {
        if let Some(failure) = &self.failure {
            // The call that failed may have been made by a background merge. The commit then fails here, with the same
            // error.
            return Err(copy(failure));
        }
        self.write_managed(folder)?;
        replace(folder, Path::new(LIST), list)
    }

    /// Records the first failure during a commit. Returns `result`.
    fn note<T>(&mut self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result
            && self.is_committing
            && self.failure.is_none()
        {
            self.failure = Some(copy(error));
        }
        result
    }
}

/// Replaces a file in a folder atomically.
fn replace(folder: &Path, file: &Path, content: &[u8]) -> Result<()> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system removes the permissions that a new file should not have (umask).
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(content)?;
    temporary.as_file().sync_data()?;
    temporary.persist(folder.join(file)).map_err(|failed| failed.error)?;
    Ok(())
}

/// Returns an error with the same cause.
fn copy(error: &Error) -> Error {
    match error.raw_os_error() {
        Some(code) => Error::from_raw_os_error(code),
        None => Error::new(error.kind(), error.to_string()),
    }
}

/// Locks the state, even after a panic: no code that changes the state panics halfway.
fn lock_state(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DurableDirectory {
    pub fn open(path: &Path) -> std::result::Result<Self, OpenDirectoryError> {
        let files = MmapDirectory::open(path)?;
        // Like `files`, the path must not change if the process changes its working directory.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        Ok(Self { path, files, state: Arc::default() })
    }

    /// Returns a directory for the next writer of this process, and passes the writer lock to it, if this directory has
    /// it. From then on, this directory counts as released and changes no files.
    pub fn successor(&self) -> Self {
        let mut state = lock_state(&self.state);
        state.is_released = true;
        let inherited_lock = state.writer_lock.take().or(state.inherited_lock.take());
        let next = State { inherited_lock, managed: state.managed.take(), ..State::default() };
        Self { path: self.path.clone(), files: self.files.clone(), state: Arc::new(Mutex::new(next)) }
    }

    /// Begins a commit, which ends when the returned value is dropped. If the commit fails, the value must be kept
    /// until the rollback has released this directory.
    pub fn begin_commit(&self) -> Commit {
        lock_state(&self.state).is_committing = true;
        Commit { state: Arc::clone(&self.state) }
    }

    /// Fails if the writer lock was released or passed to a successor. Neither can happen while the returned guard
    /// exists.
    fn check_writer(&self) -> Result<MutexGuard<'_, State>> {
        let state = lock_state(&self.state);
        if state.is_released { Err(Error::other("the writer was closed or rolled back")) } else { Ok(state) }
    }
}

impl Directory for DurableDirectory {
    fn get_file_handle(&self, path: &Path) -> std::result::Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> std::result::Result<(), DeleteError> {
        let _writer = self.check_writer().map_err(|error| DeleteError::IoError {
            io_error: Arc::new(error),
            filepath: path.to_path_buf(),
        })?;
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> std::result::Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> std::result::Result<WritePtr, OpenWriteError> {
        let wrap = |error| OpenWriteError::wrap_io_error(error, path.to_path_buf());
        let _writer = self.check_writer().map_err(wrap)?;
        match self.files.open_write(path) {
            Err(OpenWriteError::FileAlreadyExists(_))
                if path.extension().is_some_and(|extension| extension == DELETIONS) =>
            {
                // No commit uses this file, because the deletions of earlier commits have earlier stamps.
                match self.files.delete(path) {
                    Err(DeleteError::IoError { io_error, filepath }) => {
                        return Err(OpenWriteError::wrap_io_error(copy(&io_error), filepath));
                    }
                    Ok(()) | Err(DeleteError::FileDoesNotExist(_)) => {}
                }
                self.files.open_write(path)
            }
            opened => opened,
        }
    }

    fn atomic_read(&self, path: &Path) -> std::result::Result<Vec<u8>, OpenReadError> {
        let managed = if path == Path::new(MANAGED) { lock_state(&self.state).managed.clone() } else { None };
        managed.map_or_else(|| self.files.atomic_read(path), Ok)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> Result<()> {
        let mut state = self.check_writer()?;
        if path == Path::new(MANAGED) {
            state.managed = Some(data.to_vec());
            return Ok(());
        }
        if path != Path::new(LIST) {
            return replace(&self.path, path, data);
        }
        let written = state.write_list(&self.path, data).and_then(|()| self.files.sync_directory());
        state.note(written)
    }

    fn acquire_lock(&self, lock: &Lock) -> std::result::Result<DirectoryLock, LockError> {
        if lock.filepath != INDEX_WRITER_LOCK.filepath {
            return self.files.acquire_lock(lock);
        }
        let mut state = lock_state(&self.state);
        let held = match state.inherited_lock.take() {
            Some(inherited) => inherited,
            None => self.files.acquire_lock(lock)?,
        };
        state.writer_lock = Some(held);
        state.is_released = false;
        let (state, path) = (Arc::clone(&self.state), self.path.clone());
        Ok(DirectoryLock::from(Box::new(WriterLock { state, path })))
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }

    fn sync_directory(&self) -> Result<()> {
        let synced = self.files.sync_directory();
        lock_state(&self.state).note(synced)
    }
}

/// A commit in progress.
pub(crate) struct Commit {
    state: Arc<Mutex<State>>,
}

impl Drop for Commit {
    fn drop(&mut self) {
        let mut state = lock_state(&self.state);
        state.is_committing = false;
        state.failure = None;
    }
}

/// What tantivy's writer holds as its lock. When this value is dropped, the writer lock is released, unless a successor
/// has it. If a file is being replaced then, the lock is released after that.
struct WriterLock {
    state: Arc<Mutex<State>>,
    /// The folder of the index.
    path: PathBuf,
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        let mut state = lock_state(&self.state);
        // If this fails, the next writer removes the files that the list lacks.
        state.write_managed(&self.path).ok();
        state.is_released = true;
        state.writer_lock = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_or_removed_after_the_writer_lock_is_released() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let directory = DurableDirectory::open(folder.path()).expect("a folder");
        let list = Path::new(LIST);
        directory.atomic_write(list, b"created before there is a writer").expect("written");
        let held = directory.acquire_lock(&INDEX_WRITER_LOCK).expect("no other writer");
        assert!(matches!(directory.acquire_lock(&INDEX_WRITER_LOCK), Err(LockError::LockBusy)));
        directory.atomic_write(list, b"first").expect("written");
        // A background merge has a handle of its own.
        let handle = directory.clone();
        drop(held);
        handle.atomic_write(list, b"late").expect_err("no writer");
        handle.delete(list).expect_err("no writer");
        assert_eq!(handle.atomic_read(list).expect("readable"), b"first");
        let _lock = directory.acquire_lock(&INDEX_WRITER_LOCK).expect("no other writer");
        handle.atomic_write(list, b"next").expect("written");
        assert_eq!(directory.atomic_read(list).expect("readable"), b"next");
    }

    #[cfg(unix)]
    #[test]
    fn replaced_files_have_the_permissions_of_new_files() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let directory = DurableDirectory::open(folder.path()).expect("a folder");
        std::fs::write(folder.path().join("new"), "").expect("writable");
        directory.atomic_write(Path::new(MANAGED), b"files").expect("kept");
        directory.atomic_write(Path::new(LIST), b"segments").expect("written");
        let mode = |name| std::fs::metadata(folder.path().join(name)).expect("a file").permissions().mode();
        assert_eq!([mode(LIST), mode(MANAGED)], [mode("new"); 2]);
    }

    #[test]
    fn a_successor_has_the_writer_lock_and_the_list_of_files_and_its_predecessor_can_change_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let first = DurableDirectory::open(folder.path()).expect("a folder");
        let held = first.acquire_lock(&INDEX_WRITER_LOCK).expect("no other writer");
        let (list, managed) = (Path::new(LIST), Path::new(MANAGED));
        first.atomic_write(list, b"first").expect("written");
        first.atomic_write(managed, b"files").expect("kept");
        // A background merge of the first writer has a handle of its own.
        let merge = first.clone();
        let second = first.successor();
        let others = DurableDirectory::open(folder.path()).expect("a folder");
        let is_locked = || matches!(others.acquire_lock(&INDEX_WRITER_LOCK), Err(LockError::LockBusy));
        assert!(is_locked(), "before the second writer acquires the lock");
        let _held_by_second = second.acquire_lock(&INDEX_WRITER_LOCK).expect("the lock of the first");
        assert!(matches!(second.acquire_lock(&INDEX_WRITER_LOCK), Err(LockError::LockBusy)));
        for path in [list, managed, Path::new("other")] {
            merge.atomic_write(path, b"late").expect_err("no writer");
        }
        merge.delete(list).expect_err("no writer");
        merge.open_write(Path::new("segment.store")).err().expect("no writer");
        assert_eq!(second.atomic_read(managed).expect("kept"), b"files");
        drop(held);
        assert!(is_locked(), "the second writer still holds the lock");
        second.atomic_write(list, b"second").expect("written");
        assert_eq!(others.atomic_read(list).expect("readable"), b"second");
        assert_eq!(std::fs::read(folder.path().join(MANAGED)).expect("a file"), b"files");
    }

    #[test]
    fn the_list_of_files_is_written_before_the_list_of_segments_and_when_the_writer_is_closed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let directory = DurableDirectory::open(folder.path()).expect("a folder");
        let held = directory.acquire_lock(&INDEX_WRITER_LOCK).expect("no other writer");
        let managed = Path::new(MANAGED);
        let on_disk = || std::fs::read(folder.path().join(MANAGED)).ok();
        directory.atomic_write(managed, b"1").expect("kept");
        directory.clone().atomic_write(managed, b"2").expect("kept");
        assert_eq!((on_disk(), directory.atomic_read(managed).expect("readable")), (None, b"2".to_vec()));
        directory.atomic_write(Path::new(LIST), b"segments").expect("written");
        assert_eq!(on_disk().as_deref(), Some(&b"2"[..]));
        directory.atomic_write(managed, b"3").expect("kept");
        drop(held);
        assert_eq!(on_disk().as_deref(), Some(&b"3"[..]));
    }

    #[test]
    fn after_a_failed_commit_the_list_of_segments_stays_until_the_rollback() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let directory = DurableDirectory::open(folder.path()).expect("a folder");
        let _held = directory.acquire_lock(&INDEX_WRITER_LOCK).expect("no other writer");
        let (list, on_disk) = (Path::new(LIST), folder.path().join(LIST));
        // Makes a write fail: a folder in place of the list cannot be replaced by a file.
        let fail_to_write = || {
            std::fs::create_dir(&on_disk).expect("a free name");
            let error = directory.atomic_write(list, b"failing").expect_err("a folder");
            std::fs::remove_dir(&on_disk).expect("an empty folder");
            error
        };
        // A failure outside of a commit (in a merge) does not prevent later writes.
        fail_to_write();
        directory.atomic_write(list, b"merge").expect("written");
        std::fs::remove_file(&on_disk).expect("a file");

        let commit = directory.begin_commit();
        let failure = fail_to_write();
        // A background merge has a handle of its own.
        let refused =
            directory.clone().atomic_write(list, b"merge after the commit").expect_err("no rollback yet");
        assert!(failure.raw_os_error().is_some(), "{failure:?}");
        assert_eq!(refused.raw_os_error(), failure.raw_os_error(), "the cause of the first failure");
        drop(commit);
        assert!(!on_disk.exists());
        let commit = directory.begin_commit();
        directory.atomic_write(list, b"next commit").expect("written");
        drop(commit);
        assert_eq!(directory.atomic_read(list).expect("readable"), b"next commit");
    }
}
