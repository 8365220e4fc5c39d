//! Starts a fuzz target, and checks for each input that the tested code neither panics nor allocates too much memory.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::memory::Memory;

/// Memory, in bytes, that the tested code may allocate for any input.
const BASE_BYTES: usize = 48 << 20;
/// Additional memory, in bytes, that the tested code may allocate for each byte of an input.
const BYTES_PER_INPUT_BYTE: usize = 64;

/// Whether [`checked`] is running.
static CHECKING: AtomicBool = AtomicBool::new(false);
/// The message of the last panic in [`checked`].
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Prepares a fuzz target. Writes the seeds to the corpus folder of the command line if that folder is empty, and
/// installs a panic hook. While [`checked`] runs, the hook stores the message of a panic instead of aborting at once,
/// because panics that the tested code catches are not findings.
pub fn start(seeds: impl FnOnce() -> Vec<Vec<u8>>) {
    std::panic::set_hook(Box::new(|panic| {
        let backtrace =
            std::env::var_os("RUST_BACKTRACE").map(|_| std::backtrace::Backtrace::force_capture());
        let backtrace = backtrace.map_or_else(String::new, |backtrace| format!("\n{backtrace}"));
        let message = format!("{panic}{backtrace}");
        if !CHECKING.load(Ordering::Relaxed) {
            eprintln!("{message}");
            std::process::abort();
        }
        *LAST_PANIC.lock().expect("the hook does not panic") = message;
    }));
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).map(PathBuf::from);
    // To repeat a single input, its file is given instead of a corpus folder.
    let Some(folder) = folder.filter(|folder| !folder.is_file()) else { return };
    fs::create_dir_all(&folder).expect("a folder");
    if fs::read_dir(&folder).expect("a folder").next().is_none() {
        for (number, seed) in seeds().into_iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:03}")), seed).expect("writable");
        }
    }
}

/// Runs `work` on an input of `bytes` bytes. If `work` panics or allocates too much memory, aborts the process, which
/// libFuzzer reports as a finding.
pub fn checked(bytes: usize, work: impl FnOnce()) {
    let memory = Memory::start();
    let max_memory = BASE_BYTES + bytes * BYTES_PER_INPUT_BYTE;
    CHECKING.store(true, Ordering::Relaxed);
    let done = catch_unwind(AssertUnwindSafe(|| {
        work();
        memory.check(max_memory);
    }));
    CHECKING.store(false, Ordering::Relaxed);
    if done.is_err() {
        eprintln!("{}", LAST_PANIC.lock().expect("the hook does not panic"));
        std::process::abort();
    }
}

/// A temporary folder for the files of this process, in memory if `/dev/shm` exists. It is removed when this value is
/// dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    #[allow(clippy::new_without_default, reason = "it creates a folder")]
    pub fn new() -> Self {
        let shared = Path::new("/dev/shm");
        let root = if shared.is_dir() { shared.to_path_buf() } else { std::env::temp_dir() };
        let folder = root.join(format!("passagekit-fuzz-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file, and returns its path.
    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).expect("writable");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
