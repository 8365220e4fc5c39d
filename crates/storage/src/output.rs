//! The destination of formats that are written sequentially.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::replace::Complete;
use crate::stream::Stream;
use crate::target::{Target, folder_of};
use crate::temporary::Temporary;
use crate::{Error, Replacement};

/// Returns true if a writer that waits for a reader should give up.
pub type Stop = Box<dyn Fn() -> bool + Send + Sync>;

/// A [`Stop`] that never gives up.
#[must_use]
pub fn never() -> Stop {
    Box::new(|| false)
}

/// A regular file, which is replaced atomically like by [`Replacement`]; or a FIFO, a character device or a file
/// descriptor (`/dev/stdout`, `/dev/fd/3`), to which bytes are written directly.
#[derive(Debug)]
pub struct Output {
    target: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    File(Box<Replacement>),
    Stream(BufWriter<Stream>),
}

impl Output {
    /// Starts writing to `target`. For a FIFO, waits for a reader until `stop` returns true.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], also for a folder, a block device, a socket or a loop of links, and if `stop` returned true.
    pub fn create(target: &Path, stop: Stop) -> Result<Self, Error> {
        let io = || Error::io("write", target);
        let stream = match Target::of(target).map_err(io())? {
            Target::File { path, replaced } => {
                let file = Replacement::of(target, path, replaced)?;
                return Ok(Self { target: target.to_path_buf(), sink: Sink::File(Box::new(file)) });
            }
            Target::Stream(path) => Stream::open(&path, stop),
            Target::Descriptor(path, number) => Stream::descriptor(&path, number, stop),
        };
        let stream = BufWriter::with_capacity(1 << 16, stream.map_err(io())?);
        Ok(Self { target: target.to_path_buf(), sink: Sink::Stream(stream) })
    }

    /// Checks a target in advance. Fails if [`create`](Self::create) would fail without waiting.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], also for a folder that does not exist.
    pub fn check(target: &Path) -> Result<(), Error> {
        let found = Target::of(target).and_then(|found| match found {
            Target::File { path, .. } => fs::metadata(folder_of(&path)).map(drop),
            _ => Ok(()),
        });
        found.map_err(Error::io("write", target))
    }

    /// Whether two paths lead to the same regular file, which need not exist yet.
    #[must_use]
    pub fn is_same_file(first: &Path, second: &Path) -> bool {
        let place = |path: &Path| match Target::of(path) {
            Ok(Target::File { path, .. }) => {
                Some((fs::canonicalize(folder_of(&path)).ok()?, path.file_name()?.to_os_string()))
            }
            _ => None,
        };
        place(first).is_some_and(|found| Some(found) == place(second))
    }

    /// Completes the output without renaming it to its target. A stream ends here.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], which leaves the old file untouched.
    pub fn complete(self) -> Result<Written, Error> {
        match self.sink {
            Sink::File(file) => Ok(Written(Some(file.complete()?))),
            Sink::Stream(mut stream) => {
                stream.flush().map_err(Error::io("write", &self.target))?;
                Ok(Written(None))
            }
        }
    }

    /// Completes the output and renames it to its target.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], which leaves the old file untouched.
    pub fn finish(self) -> Result<(), Error> {
        self.complete()?.put()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::File(file) => file.write(bytes),
            Sink::Stream(stream) => stream.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::File(file) => file.flush(),
            Sink::Stream(stream) => stream.flush(),
        }
    }
}

/// A complete [`Output`]: a file before its rename, or a stream that has ended. If it is dropped, the file is removed.
#[derive(Debug)]
pub struct Written(Option<Complete>);

impl Written {
    /// Renames the file to its target.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], which leaves the old file untouched.
    pub fn put(self) -> Result<(), Error> {
        self.0.map_or(Ok(()), Complete::put)
    }
}

/// Renames two files that belong together to their targets, `first` first: both, or on an error neither. Only if the
/// process is killed between the two renames is the new `first` left next to the old `second`.
///
/// # Errors
///
/// [`Error::Io`], which leaves the old files as they were.
pub fn put_both(first: Written, second: Written) -> Result<(), Error> {
    let (first, second) = match (first, second) {
        (Written(Some(first)), Written(Some(second))) => (first, second),
        // Bytes that were written to a stream cannot be undone.
        (first, second) => return first.put().and_then(|()| second.put()),
    };
    let (target, place) = (first.target.clone(), first.place.clone());
    let old = keep_old(&place).map_err(Error::io("write", &target))?;
    first.put()?;
    second.put().map_err(|error| {
        let back = match &old {
            Some((old, _)) => fs::rename(old.path(), &place),
            None => fs::remove_file(&place),
        };
        match (back, old) {
            (Err(failure), Some((old, _))) => {
                let kept = old.forget();
                let message = format!("{error}; and the old file stays at {}: {failure}", kept.display());
                Error::io("write", &target)(io::Error::other(message))
            }
            _ => error,
        }
    })
}

/// Creates a second hard link to the file at `place`, or a copy if the file system has no hard links. It is locked while
/// the returned file is open, so that other writers of `place` do not remove it as abandoned.
fn keep_old(place: &Path) -> io::Result<Option<(Temporary, Option<fs::File>)>> {
    let old = Temporary::beside(place);
    let kept = fs::hard_link(place, old.path()).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Err(error),
        _ => fs::copy(place, old.path()).map(drop),
    });
    match kept {
        Ok(()) => {
            let locked = fs::File::open(old.path()).ok().filter(|file| file.try_lock().is_ok());
            Ok(Some((old, locked)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::process::Command;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::{fs, thread};

    use super::*;
    use crate::{FileKind, Writer, replace};

    fn written(target: &Path, content: &[u8]) -> Result<(), Error> {
        let mut output = Output::create(target, never())?;
        output.write_all(content).map_err(Error::io("write", target))?;
        output.finish()
    }

    fn fifo(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn links_stay_and_the_file_behind_them_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("far")).expect("a folder");
        fs::write(at("far/file"), "old").expect("writable");
        symlink("far/near", at("link")).expect("a link");
        symlink("../chain", at("far/near")).expect("a link");
        symlink(at("far/file"), at("chain")).expect("a link");
        written(&at("link"), b"new").expect("written");
        assert_eq!(fs::read(at("far/file")).expect("there"), b"new");
        assert!(["link", "far/near", "chain"].iter().all(|name| at(name).is_symlink()));

        symlink("far/later", at("dangling")).expect("a link");
        replace(&at("dangling"), b"new").expect("written");
        assert_eq!(fs::read(at("far/later")).expect("created"), b"new");
        assert!(at("dangling").is_symlink());

        symlink("b", at("a")).expect("a link");
        symlink("a", at("b")).expect("a link");
        let error = written(&at("a"), b"new").expect_err("a loop").to_string();
        assert!(
            error.ends_with("expected a file, got a chain of more than 40 symbolic links, or a loop"),
            "{error}"
        );
        assert_eq!(names(folder.path()), ["a", "b", "chain", "dangling", "far", "link"]);
        assert_eq!(names(&at("far")), ["file", "later", "near"]);
    }

    #[test]
    fn a_file_keeps_its_mode_and_a_new_one_has_the_usual() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, plain, new] = ["kept", "plain", "new"].map(|name| folder.path().join(name));
        let mode = |path: &Path| fs::metadata(path).expect("there").mode() & 0o7777;
        for wanted in [0o600, 0o640, 0o755, 0o444] {
            fs::write(&path, "old").expect("writable");
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).expect("ours");
            let mut output = Output::create(&path, never()).expect("writable");
            let temporary =
                names(folder.path()).into_iter().find(|name| name.ends_with(".tmp")).expect("there");
            assert_eq!(mode(&folder.path().join(temporary)), 0o600, "nobody else reads it meanwhile");
            output.write_all(b"new").expect("room");
            output.finish().expect("written");
            assert_eq!((mode(&path), fs::read(&path).expect("there")), (wanted, b"new".to_vec()));
            fs::remove_file(&path).expect("ours");
        }
        fs::write(&plain, "").expect("writable");
        written(&new, b"new").expect("written");
        assert_eq!(mode(&new), mode(&plain));
    }

    #[test]
    fn a_fifo_and_devices_get_the_bytes_and_stay_what_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let [pipe, link] = ["pipe", "link"].map(|name| folder.path().join(name));
        fifo(&pipe);
        symlink("pipe", &link).expect("a link");
        let content: Vec<u8> = (0..1_000_000u32).flat_map(u32::to_le_bytes).collect();
        for target in [&pipe, &link] {
            let reader = thread::spawn({
                let pipe = pipe.clone();
                move || fs::read(pipe).expect("readable")
            });
            written(target, &content).expect("written");
            assert!(reader.join().expect("no panic") == content);
        }
        written(Path::new("/dev/null"), &content).expect("written");
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
        written(Path::new("/dev/full"), &content).expect_err("full");
        assert_eq!(names(folder.path()), ["link", "pipe"]);
    }

    #[test]
    fn waiting_for_a_reader_ends_when_stopped() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        fifo(&pipe);
        let flag = Arc::new(AtomicBool::new(false));
        let stop = |flag: &Arc<AtomicBool>| -> Stop {
            let flag = Arc::clone(flag);
            Box::new(move || flag.load(Ordering::Relaxed))
        };
        thread::scope(|scope| {
            // Stopped before there is a reader.
            let opening = scope.spawn(|| Output::create(&pipe, stop(&flag)).map(drop));
            thread::sleep(std::time::Duration::from_millis(50));
            assert!(!opening.is_finished());
            flag.store(true, Ordering::Relaxed);
            opening.join().expect("no panic").expect_err("stopped");
            // Stopped while the reader does not read.
            flag.store(false, Ordering::Relaxed);
            let reader = scope.spawn(|| fs::File::open(&pipe).expect("readable"));
            let mut output = Output::create(&pipe, stop(&flag)).expect("a reader");
            let _reader = reader.join().expect("no panic");
            let writing = scope.spawn(move || output.write_all(&[7; 1 << 20]));
            thread::sleep(std::time::Duration::from_millis(50));
            assert!(!writing.is_finished());
            flag.store(true, Ordering::Relaxed);
            writing.join().expect("no panic").expect_err("stopped");
        });
    }

    #[test]
    fn containers_go_to_regular_files_alone() {
        const KIND: FileKind = FileKind { magic: *b"PKTEST\0\0", version: 1, name: "test" };
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        fifo(&pipe);
        for (path, got) in [
            (pipe.as_path(), "a FIFO"),
            (Path::new("/dev/null"), "a character device"),
            (Path::new("/dev/fd/1"), "an open descriptor"),
        ] {
            let error = Writer::create(path, KIND).expect_err("not a file").to_string();
            let expected =
                format!("write {}: expected a regular file or a new one, got {got}", path.display());
            assert_eq!(error, expected);
        }
        assert_eq!(names(folder.path()), ["pipe"]);
    }

    #[test]
    fn a_file_behind_an_open_descriptor_is_appended_to_not_replaced() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        fs::write(&path, "first\n").expect("writable");
        let file = fs::OpenOptions::new().append(true).open(&path).expect("there");
        written(Path::new(&format!("/dev/fd/{}", file.as_raw_fd())), b"second\n").expect("written");
        assert_eq!(fs::read(&path).expect("there"), b"first\nsecond\n");
        assert_eq!(names(folder.path()), ["log"]);
    }

    #[test]
    fn of_two_files_both_are_replaced_or_neither() {
        let folder = tempfile::tempdir().expect("a folder");
        let [ids, vectors] = ["ids", "vectors"].map(|name| folder.path().join(name));
        let complete = |path: &Path| {
            let mut output = Output::create(path, never()).expect("writable");
            output.write_all(b"new").expect("room");
            output.complete().expect("room")
        };
        for old in [Some("old"), None] {
            if let Some(old) = old {
                fs::write(&ids, old).expect("writable");
            }
            let pair = (complete(&ids), complete(&vectors));
            // A file cannot be renamed over a folder.
            fs::create_dir(&vectors).expect("free");
            put_both(pair.0, pair.1).expect_err("a folder is in the place of the second");
            assert_eq!(fs::read_to_string(&ids).ok().as_deref(), old);
            fs::remove_dir(&vectors).expect("empty");
            assert_eq!(names(folder.path()).len(), usize::from(old.is_some()));
            put_both(complete(&ids), complete(&vectors)).expect("written");
            assert_eq!([&ids, &vectors].map(|path| fs::read(path).expect("there")), [b"new", b"new"]);
            assert_eq!(names(folder.path()), ["ids", "vectors"]);
            [ids.as_path(), &vectors].into_iter().for_each(|path| fs::remove_file(path).expect("there"));
        }
    }

    #[test]
    fn what_killed_writers_left_is_removed_and_what_others_write_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("file");
        let other = Output::create(&target, never()).expect("writable");
        let [in_progress] = &names(folder.path())[..] else { panic!("one temporary") };
        // Like the file of a killed writer: nobody holds a lock on it.
        let (boot, _) =
            in_progress.strip_prefix("file.").and_then(|rest| rest.split_once('-')).expect("its form");
        let foreign = if boot == "00000000" { "11111111" } else { "00000000" };
        let stale = [format!("file.{boot}-1-0.tmp"), format!("file.{foreign}-2-0.tmp")];
        let kept =
            [format!("file.{foreign}-3-0.tmp"), "file.notes.tmp".to_owned(), format!("x.{boot}-1-0.tmp")];
        for name in stale.iter().chain(&kept) {
            fs::write(folder.path().join(name), "half").expect("writable");
        }
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 24 * 60 * 60);
        let file = fs::File::options().write(true).open(folder.path().join(&stale[1])).expect("there");
        file.set_modified(old).expect("ours");
        drop(file);
        written(&target, b"new").expect("written");
        let mut expected = kept.to_vec();
        expected.extend(["file".to_owned(), in_progress.clone()]);
        expected.sort();
        assert_eq!(names(folder.path()), expected);
        drop(other);
    }
}
