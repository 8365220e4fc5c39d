//! The folder of a collection: the names of its files, and the description, a file that makes the folder a collection.
//!
//! ```text
//! passagekit.json     format, version and id; written once, when the collection is created
//! bm25/               the BM25 index, with titles, texts and fields; its commit is the commit of all parts
//! vectors-<n>.log     the log: the vectors of passages that were added since the base was written
//! base-<n>.graph      the base: the vectors of older passages, one row per passage, with their graph
//! base-<n>.ords       the ord of each row of the base; absent if every ord equals its row number
//! writer.json         which process has the collection open for changes
//! create.lock         locked while the collection is created; it stays
//! ```

use std::fs::{self, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Error;
use crate::state::State;

/// The version of the format.
pub(crate) const VERSION: u32 = 2;
const FORMAT: &str = "passagekit-collection";
/// The name of the description.
const DESCRIPTION: &str = "passagekit.json";
/// The name of the file that is locked while a collection is created.
const CREATION_LOCK: &str = "create.lock";
/// A process waits this long for another one that creates a collection, which usually takes milliseconds.
const MAX_CREATION_TIME: Duration = Duration::from_secs(60);
/// The prefixes of the names of vector files, which are replaced whenever a new base is written.
const REPLACED: [&str; 2] = ["vectors-", "base-"];

/// The folder of the BM25 index.
pub(crate) fn bm25_of(folder: &Path) -> PathBuf {
    folder.join("bm25")
}

/// The file that names the process that changes the collection.
pub(crate) fn owner_of(folder: &Path) -> PathBuf {
    folder.join("writer.json")
}

pub(crate) fn log_name(number: u64) -> String {
    format!("vectors-{number}.log")
}

pub(crate) fn base_name(number: u64) -> String {
    format!("base-{number}.graph")
}

pub(crate) fn ords_name(number: u64) -> String {
    format!("base-{number}.ords")
}

/// Creates the folder for a new collection and locks it for the creation. If several processes create a collection in a
/// folder at the same time, one does it, and the others wait and then fail, because the folder has a collection.
///
/// Fails if the folder is not empty. Files of an interrupted creation are accepted, because the folder does not have a
/// description yet; the new collection replaces them.
pub(crate) fn prepare(folder: &Path) -> Result<CreationLock, Error> {
    let created =
        folder.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).count();
    fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    for parent in folder.ancestors().skip(1).take(created) {
        // The name of a new folder is durable only after its parent is flushed. Errors are ignored, because a parent
        // may be unreadable.
        sync_folder(if parent.as_os_str().is_empty() { Path::new(".") } else { parent }).ok();
    }
    check_empty(folder)?;
    let lock = CreationLock::acquire(folder)?;
    // Another process may have created a collection meanwhile.
    check_empty(folder)?;
    Ok(lock)
}

/// Fails if a folder has other files than those of an interrupted creation.
fn check_empty(folder: &Path) -> Result<(), Error> {
    let not_empty = |got: String| Error::NotEmpty { path: folder.to_path_buf(), got };
    let mut entries = fs::read_dir(folder).map_err(Error::io("create", folder))?;
    let foreign = entries.find_map(|entry| match entry {
        Err(error) => Some(Err(Error::io("create", folder)(error))),
        Ok(entry) => {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_temporary = name.starts_with(&format!("{DESCRIPTION}.")) && name.ends_with(".tmp");
            let is_ours =
                ["bm25", "vectors-1.log", "writer.json", CREATION_LOCK].contains(&&*name) || is_temporary;
            (!is_ours).then_some(Ok(name))
        }
    });
    match foreign.transpose()?.as_deref() {
        Some(DESCRIPTION) => Err(not_empty("a collection".to_owned())),
        Some(name) => Err(not_empty(format!("\"{name}\" in it"))),
        None => Ok(()),
    }
}

/// The lock that a process holds while it creates a collection. The operating system releases it when the file is
/// closed, for any reason. The file stays: if it were removed, another process could lock a new file of the same name,
/// while a third still has the old one.
#[derive(Debug)]
pub(crate) struct CreationLock {
    _file: fs::File,
}

impl CreationLock {
    /// Waits until no other process, and no other thread of this process, has the lock.
    fn acquire(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(CREATION_LOCK);
        let opened = fs::OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(Error::io("create", &path))?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if start.elapsed() < MAX_CREATION_TIME => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => {
                    let error = std::io::Error::from(ErrorKind::TimedOut);
                    return Err(Error::io("create", &path)(error));
                }
                // Some network drives have no locks. There, nothing protects processes that create a collection at the
                // same time.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => break,
                Err(TryLockError::Error(error)) => return Err(Error::io("create", &path)(error)),
            }
        }
        Ok(Self { _file: file })
    }
}

/// Writes the description, which makes the folder a collection.
pub(crate) fn describe(folder: &Path, id: &str) -> Result<(), Error> {
    let description = json!({"format": FORMAT, "version": VERSION, "id": id});
    let text = format!("{}\n", serde_json::to_string_pretty(&description).expect("strings and numbers"));
    storage::replace(&folder.join(DESCRIPTION), text.as_bytes())?;
    sync_folder(folder)
}

/// Reads the description and returns the id of the collection.
pub(crate) fn read_description(folder: &Path) -> Result<String, Error> {
    let path = folder.join(DESCRIPTION);
    let expected = "the description of a collection";
    let text = match fs::read_to_string(&path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            let got = match fs::metadata(folder) {
                Err(_) => "no such folder".to_owned(),
                Ok(metadata) if metadata.is_dir() => format!("no {DESCRIPTION} there"),
                Ok(_) => "a file".to_owned(),
            };
            return Err(Error::NotACollection { path: folder.to_path_buf(), got });
        }
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            return Err(Error::corrupt(&path, expected, "bytes that are not UTF-8"));
        }
        text => text.map_err(Error::io("open", &path))?,
    };
    let description: Value =
        serde_json::from_str(&text).map_err(|error| Error::corrupt(&path, expected, error.to_string()))?;
    if description["format"] != FORMAT {
        return Err(Error::corrupt(&path, expected, "another file"));
    }
    if description["version"] != VERSION {
        let got = description["version"].to_string();
        return Err(Error::Version { path, expected: VERSION, got });
    }
    let id = description["id"].as_str().filter(|id| !id.is_empty());
    Ok(id
        .ok_or_else(|| Error::corrupt(&path, "the id of a collection", description["id"].to_string()))?
        .to_owned())
}

/// Returns true if the folder has a description, in any version of the format.
pub(crate) fn is_described(folder: &Path) -> bool {
    folder.join(DESCRIPTION).exists()
}

/// Removes the vector files that the last commit does not use: bases and logs that were replaced, and newer ones that
/// were never committed. The caller must have the lock of the writer, and `state` must be the state of the last commit.
/// On Windows, a file that another process still has open stays until a later call removes it.
pub(crate) fn remove_unused(folder: &Path, state: &State) {
    // The writer of this commit may have been killed, or its commit may have failed, between the rename and the flush
    // that makes the rename durable. Without this flush, a power loss could bring back the previous commit, whose files
    // would then be missing.
    if sync_folder(&bm25_of(folder)).is_err() {
        return;
    }
    let used = state.vectors.as_ref().map(|vectors| {
        let base = vectors.base.as_ref();
        let ords = base.and_then(|base| base.ords.as_deref());
        [Some(vectors.log.file.as_str()), base.map(|base| base.file.as_str()), ords]
    });
    let used = used.unwrap_or_default();
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if REPLACED.iter().any(|prefix| name.starts_with(prefix)) && !used.contains(&Some(&*name)) {
            fs::remove_file(entry.path()).ok();
        }
    }
}

/// Flushes the entries of a folder to the disk. Does nothing on systems other than Unix.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), Error> {
    if cfg!(unix) {
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io("write", folder))?;
    }
    Ok(())
}
