//! The folder of an index, as tantivy reads and writes it.
//!
//! It is tantivy's own `MmapDirectory` with two differences:
//!
//! - A commit is durable before tantivy removes the files of the one before. tantivy renames the new list of segments to
//!   `meta.json` and then removes files, but flushes the folder neither after nor between. After a power loss, the old
//!   list could be back, without its files.
//! - A handle whose writer was closed writes nothing anymore. A merge that ends at the same moment would otherwise write
//!   its list of segments after the lock is released, and so undo a commit of the next writer.

use std::io::{Error, Result};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, INDEX_WRITER_LOCK, Lock, MmapDirectory, WatchCallback, WatchHandle,
    WritePtr,
};

/// The list of segments.
const LIST: &str = "meta.json";

/// Reads and writes the files of an index.
#[derive(Debug, Clone)]
pub(crate) struct DurableDirectory {
    files: MmapDirectory,
    /// Whether the lock of the writer was released. Held while a file is replaced or removed.
    is_released: Arc<Mutex<bool>>,
}

impl DurableDirectory {
    pub fn open(path: &Path) -> std::result::Result<Self, OpenDirectoryError> {
        Ok(Self { files: MmapDirectory::open(path)?, is_released: Arc::default() })
    }

    /// Fails if the lock of the writer was released. It is not released while the returned guard exists.
    fn check_writer(&self) -> Result<MutexGuard<'_, bool>> {
        let is_released = self.is_released.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_released { Err(Error::other("the writer was closed")) } else { Ok(is_released) }
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
        self.files.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> std::result::Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> Result<()> {
        let _writer = self.check_writer()?;
        self.files.atomic_write(path, data)?;
        if path == Path::new(LIST) { self.files.sync_directory() } else { Ok(()) }
    }

    fn acquire_lock(&self, lock: &Lock) -> std::result::Result<DirectoryLock, LockError> {
        let held = self.files.acquire_lock(lock)?;
        if lock.filepath != INDEX_WRITER_LOCK.filepath {
            return Ok(held);
        }
        *self.is_released.lock().unwrap_or_else(PoisonError::into_inner) = false;
        let is_released = Arc::clone(&self.is_released);
        Ok(DirectoryLock::from(Box::new(WriterLock { is_released, _held: held })))
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }

    fn sync_directory(&self) -> Result<()> {
        self.files.sync_directory()
    }
}

/// The lock of a writer. When it is dropped, it first waits until a file that is being replaced is in place.
struct WriterLock {
    is_released: Arc<Mutex<bool>>,
    _held: DirectoryLock,
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        *self.is_released.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_after_the_lock_of_the_writer_was_released() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let directory = DurableDirectory::open(folder.path()).expect("a folder");
        let list = Path::new(LIST);
        directory.atomic_write(list, b"created before there is a writer").expect("written");
        let lock = directory.acquire_lock(&INDEX_WRITER_LOCK).expect("no other writer");
        assert!(matches!(directory.acquire_lock(&INDEX_WRITER_LOCK), Err(LockError::LockBusy)));
        directory.atomic_write(list, b"first").expect("written");
        // A merge has a handle of its own.
        let handle = directory.clone();
        drop(lock);
        handle.atomic_write(list, b"late").expect_err("no writer");
        handle.delete(list).expect_err("no writer");
        assert_eq!(handle.atomic_read(list).expect("readable"), b"first");
        let _lock = directory.acquire_lock(&INDEX_WRITER_LOCK).expect("no other writer");
        handle.atomic_write(list, b"next").expect("written");
        assert_eq!(directory.atomic_read(list).expect("readable"), b"next");
    }
}
