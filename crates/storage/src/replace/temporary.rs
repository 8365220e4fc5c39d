//! Temporary files, which are renamed to their targets when they are complete.
//!
//! A temporary file is in the folder of its target and is named `NAME.BOOT-PROCESS-NUMBER.tmp`: NAME is the name of the
//! target, BOOT the first digits of the kernel's boot id, PROCESS the id of the process, and NUMBER a counter of the
//! files that the process has created. The writer holds an advisory lock on the file. The kernel releases the lock when
//! the process ends for any reason. The next writer of the same target can therefore recognize abandoned temporary
//! files, even if a process id was reused, and removes them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::path::folder_of;

/// An unlocked temporary file of another machine, or of an earlier boot, counts as abandoned only after this time
/// without a write, because not all shared file systems propagate locks.
const MIN_ABANDONED_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Number of digits of the boot id in a file name.
const BOOT_DIGITS: usize = 8;

/// A temporary file, which is removed on drop unless it was renamed to its target.
#[derive(Debug)]
pub(crate) struct TemporaryFile(PathBuf);

impl TemporaryFile {
    /// Creates and locks a file next to `target`. The lock lasts while the file is open. If `private` is true, only the
    /// owner of the file can read and write it.
    pub fn create(target: &Path, private: bool) -> io::Result<(Self, File)> {
        loop {
            let temporary = Self::beside(target);
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            {
                use std::os::unix::fs::OpenOptionsExt;
                options.mode(if private { 0o600 } else { 0o666 });
            }
            #[cfg(not(unix))]
            let _ = private;
            let file = match options.open(&temporary.0) {
                // An earlier process with the same id left the file behind. Try the next number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    temporary.keep();
                    continue;
                }
                opened => opened?,
            };
            // Between creation and locking, another writer's `remove_abandoned` may have locked or removed the file. In
            // that case, try again.
            let locked = file.try_lock();
            if !matches!(locked, Err(TryLockError::WouldBlock)) && has_name(&file)? {
                return Ok((temporary, file));
            }
        }
    }

    /// Reserves a name for a temporary file next to `target`, without creating the file.
    pub fn beside(target: &Path) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mut name = stem(target.file_name().unwrap_or_default());
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        name.push(format!(".{}-{}-{count}.tmp", *BOOT, std::process::id()));
        let path = target.with_file_name(name);
        unfinished().insert(path.clone());
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Renames the file to `target`.
    pub fn rename(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.0, target)?;
        self.keep();
        // The rename is durable only after its folder is synced; not every file system supports that.
        let _ = File::open(folder_of(target)).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// Returns the path. The file will not be removed on drop.
    pub fn keep(self) -> PathBuf {
        unfinished().remove(&self.0);
        std::mem::take(&mut std::mem::ManuallyDrop::new(self).0)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
        unfinished().remove(&self.0);
    }
}

/// Removes all unfinished temporary files of this process. Call this function only before the process exits, because
/// the writers of these files will fail.
pub fn remove_unfinished() {
    let paths: Vec<_> = unfinished().iter().cloned().collect();
    for path in paths {
        let _ = fs::remove_file(path);
    }
}

/// Removes temporary files that killed writers of `target` left behind.
pub(super) fn remove_abandoned(target: &Path) {
    let Some(stem) = target.file_name().map(stem) else { return };
    let Ok(entries) = fs::read_dir(folder_of(target)) else { return };
    for entry in entries.flatten() {
        let Some(boot) = boot_of(&entry.file_name(), &stem) else { continue };
        // Only regular files are opened: opening anything else might block.
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            // `abandoned` holds the lock until the file is removed, so that no other process starts to use it.
            let abandoned = lock_abandoned(&entry.path(), !boot.is_empty() && boot == *BOOT);
            if abandoned.is_some() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Opens and locks a temporary file if it is abandoned. `is_of_this_boot` says whether its writer ran on this machine
/// since the last boot, which makes the file's lock reliable.
fn lock_abandoned(path: &Path, is_of_this_boot: bool) -> Option<File> {
    // On some network drives, only a file that is open for writing can be locked. A read-only file cannot be opened for
    // writing, so it is opened for reading.
    let file = OpenOptions::new().write(true).open(path).or_else(|_| File::open(path)).ok()?;
    file.try_lock().ok()?;
    let age = || file.metadata().ok()?.modified().ok()?.elapsed().ok();
    (is_of_this_boot || age().is_some_and(|time| time > MIN_ABANDONED_AGE)).then_some(file)
}

/// Returns the first part of a temporary file's name: the name of its target, shortened so that the whole name does not
/// become too long.
fn stem(name: &OsStr) -> OsString {
    const MAX_BYTES: usize = 200;
    match name.to_str() {
        Some(text) if text.len() > MAX_BYTES => text[..text.floor_char_boundary(MAX_BYTES)].into(),
        _ => name.to_os_string(),
    }
}

/// Returns BOOT, the first digits of the boot id, from the name of a temporary file; `None` if `file` is not the name
/// of a temporary file of a target with this [`stem`].
fn boot_of(file: &OsStr, stem: &OsStr) -> Option<String> {
    let rest = file.as_encoded_bytes().strip_prefix(stem.as_encoded_bytes())?;
    let rest = std::str::from_utf8(rest).ok()?.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (boot, rest) = rest.split_once('-')?;
    let (process, count) = rest.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_boot = boot.len() <= BOOT_DIGITS && boot.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_boot && is_number(process) && is_number(count)).then(|| boot.to_owned())
}

/// The first digits of the boot id, which identifies the running kernel. Locks between processes on the same kernel are
/// reliable. Empty if the boot id is unknown, as on systems other than Linux.
static BOOT: LazyLock<String> = LazyLock::new(|| {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.get(..BOOT_DIGITS)
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .unwrap_or("")
        .to_owned()
});

/// Returns the paths of the unfinished temporary files of this process.
fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true if the file still has a name in a folder, and false if another writer has removed it.
#[cfg(unix)]
fn has_name(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() > 0)
}

#[cfg(not(unix))]
fn has_name(_: &File) -> io::Result<bool> {
    Ok(true)
}
