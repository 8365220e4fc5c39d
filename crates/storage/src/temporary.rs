//! The file that something is written to before it gets its name.
//!
//! It lies beside its target and is called `NAME.BOOT-PROCESS-NUMBER.tmp`, BOOT being the first digits of the kernel's boot
//! id. Its writer holds an advisory lock on it, which the kernel releases however the process ends. The next writer of the
//! same target therefore knows which temporaries nobody writes any more, also if the process id is in use again, and
//! removes them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::target::folder_of;

/// After this time without a write, a temporary of another machine counts as abandoned if it is not locked. Not all
/// shared file systems pass locks on.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Digits of the boot id that are part of a name.
const BOOT_DIGITS: usize = 8;

/// A file of ours that is removed when this is dropped, unless it has got its name by then.
#[derive(Debug)]
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    /// Creates a file beside `target`, locked as long as it is open. `private` ones are for their owner alone.
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
                // Of an earlier process with this id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    temporary.forget();
                    continue;
                }
                opened => opened?,
            };
            // A sweep that came between creating and locking is about to remove it, or has.
            let locked = file.try_lock();
            if !matches!(locked, Err(TryLockError::WouldBlock)) && has_name(&file)? {
                return Ok((temporary, file));
            }
        }
    }

    /// A free name beside `target`.
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

    /// Renames it to `target`.
    pub fn put(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.0, target)?;
        self.forget();
        // The rename itself lasts only once its folder is synced; not every file system can.
        let _ = File::open(folder_of(target)).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// Leaves the file as it is; returns its path.
    pub fn forget(self) -> PathBuf {
        unfinished().remove(&self.0);
        std::mem::take(&mut std::mem::ManuallyDrop::new(self).0)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
        unfinished().remove(&self.0);
    }
}

/// Removes the files that are being written now, for a process that is about to end: their writers will fail.
pub fn remove_unfinished() {
    let paths: Vec<_> = unfinished().iter().cloned().collect();
    for path in paths {
        let _ = fs::remove_file(path);
    }
}

/// Removes what writers of `target` left behind when they were killed.
pub(crate) fn sweep(target: &Path) {
    let Some(name) = target.file_name().map(stem) else { return };
    let Ok(entries) = fs::read_dir(folder_of(target)) else { return };
    for entry in entries.flatten() {
        let Some(boot) = boot_of(&entry.file_name(), &name) else { continue };
        // Opening anything else might block.
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            // Held until the file is gone, so that nobody takes it for theirs meanwhile.
            let abandoned = abandoned(&entry.path(), !boot.is_empty() && boot == *BOOT);
            if abandoned.is_some() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The file, locked, if nobody writes it any more.
fn abandoned(path: &Path, of_this_boot: bool) -> Option<File> {
    // A lock on some network drives needs a file that is open for writing; one that is read-only by its mode has none.
    let file = OpenOptions::new().write(true).open(path).or_else(|_| File::open(path)).ok()?;
    file.try_lock().ok()?;
    let unchanged = || file.metadata().ok()?.modified().ok()?.elapsed().ok();
    (of_this_boot || unchanged().is_some_and(|time| time > ABANDONED)).then_some(file)
}

/// What the name of a temporary begins with: the name of its target, unless that is so long that nothing can be added.
fn stem(name: &OsStr) -> OsString {
    const LONGEST: usize = 200;
    match name.to_str() {
        Some(text) if text.len() > LONGEST => text[..text.floor_char_boundary(LONGEST)].into(),
        _ => name.to_os_string(),
    }
}

/// The part of a temporary's name that says under which boot it was created; `None` for the name of another file.
fn boot_of(file: &OsStr, target: &OsStr) -> Option<String> {
    let rest = file.as_encoded_bytes().strip_prefix(target.as_encoded_bytes())?;
    let rest = std::str::from_utf8(rest).ok()?.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (boot, rest) = rest.split_once('-')?;
    let (process, count) = rest.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_boot = boot.len() <= BOOT_DIGITS && boot.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_boot && is_number(process) && is_number(count)).then(|| boot.to_owned())
}

/// Of the running kernel: locks taken under the same one are told reliably. Empty where the system does not say.
static BOOT: LazyLock<String> = LazyLock::new(|| {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.get(..BOOT_DIGITS)
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .unwrap_or("")
        .to_owned()
});

/// Temporaries of this process.
fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
fn has_name(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() > 0)
}

#[cfg(not(unix))]
fn has_name(_: &File) -> io::Result<bool> {
    Ok(true)
}
