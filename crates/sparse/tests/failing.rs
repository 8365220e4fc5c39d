//! Failures with external causes: a second writer, a read-only folder, a full disk. Each causes an error of the right
//! type, and the index keeps its last commit.
//!
//! Some tests need another process: they start a child that runs one of the `#[ignore]`d tests of this file.
#![cfg(unix)]

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use control::Control;
use sparse::{Analyzer, Bm25, Bm25Index, Error, IndexWriter, WriterOptions};

const OPTIONS: WriterOptions = WriterOptions { overwrite: false, threads: 1, memory: 15_000_000 };
/// The environment variable that passes a folder to a child process.
const FOLDER: &str = "PASSAGEKIT_FAILING_FOLDER";
/// The id of a user without permissions: `nobody` on most Linux systems. On macOS, no user has this id.
const NOBODY: u32 = 65_534;

/// Returns the ids of the ten best hits.
fn found(index: &Bm25Index, query: &str) -> Vec<String> {
    let searcher = index.searcher();
    let hits = searcher.search(query, 10, Bm25::default(), &Control::new()).expect("hits");
    searcher.ids(&hits).expect("ids")
}

/// Creates an index with one passage, and returns its writer.
fn create_index(path: &Path) -> IndexWriter {
    let mut writer = IndexWriter::create(path, Analyzer::WHITESPACE, OPTIONS).expect("a new index");
    writer.add("a", None, "one").expect("a new id");
    writer.commit().expect("a commit");
    writer
}

/// Returns a command that runs a test of this file in a child process.
fn child(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args([test, "--exact", "--ignored", "--nocapture"]).env(FOLDER, folder);
    command
}

/// Returns the folder that [`child`] passed to this process; `None` if this is not a child process.
fn child_folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// Reports that something cannot be tested on this system.
fn skip(what: &str) {
    eprintln!("SKIPPING {what}");
}

/// Adds passages until tantivy has to write a segment and fails. Returns the error. All words are different, so the
/// writer's memory fills quickly.
fn add_until_refused(writer: &mut IndexWriter) -> Error {
    for at in 0..2_000_000u64 {
        let mut text = String::new();
        (0..40).for_each(|word| {
            text.push_str(&format!("{:x} ", (at * 40 + word).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        });
        if let Err(error) = writer.add(&format!("more{at}"), None, &text) {
            return error;
        }
    }
    panic!("all passages were added: expected a write to fail");
}

/// Checks the kind of an error, that the index still has its last commit, and that the writer rejects changes, commits
/// and merges. Then rolls the writer back.
fn check_refused(path: &Path, writer: &mut IndexWriter, error: &Error, kinds: &[ErrorKind]) {
    match error {
        Error::Io { source, .. } => assert!(kinds.contains(&source.kind()), "{error:?}"),
        error => panic!("{error:?}"),
    }
    assert!(matches!(writer.commit(), Err(Error::Interrupted { .. })));
    assert!(matches!(writer.add("b", None, "two"), Err(Error::Interrupted { .. })));
    assert!(matches!(writer.update("b", None, "two"), Err(Error::Interrupted { .. })));
    assert!(matches!(writer.delete(&["a"]), Err(Error::Interrupted { .. })));
    assert!(matches!(writer.merge(), Err(Error::Interrupted { .. })));
    let index = Bm25Index::open(path).expect("an intact index");
    index.verify().expect("intact files");
    assert_eq!(found(&index, "one"), ["a"]);
    writer.rollback().expect("the last commit");
    assert_eq!(writer.len(), index.len());
}

#[test]
#[ignore = "run by another test in a child process"]
fn holds_the_lock_until_killed() {
    let Some(folder) = child_folder() else { return };
    let _writer = IndexWriter::open(&folder.join("index"), OPTIONS).expect("an index");
    fs::write(folder.join("ready"), "").expect("a file");
    std::thread::sleep(Duration::from_secs(60));
}

#[test]
fn a_second_writer_is_refused_while_another_process_has_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    drop(create_index(&path));
    let mut holder =
        child("holds_the_lock_until_killed", folder.path()).stdout(Stdio::null()).spawn().expect("a process");
    while !folder.path().join("ready").exists() {
        assert!(holder.try_wait().expect("a process").is_none(), "the child ended too soon");
        std::thread::sleep(Duration::from_millis(2));
    }
    let overwrite = WriterOptions { overwrite: true, ..OPTIONS };
    for refused in
        [IndexWriter::open(&path, OPTIONS), IndexWriter::create(&path, Analyzer::ENGLISH, overwrite)]
    {
        let error = refused.expect_err("a second writer");
        assert!(matches!(&error, Error::Locked { path: locked_path } if *locked_path == path), "{error:?}");
        assert!(error.to_string().ends_with("expected no other writer, got one that holds the lock"));
    }
    assert_eq!(found(&Bm25Index::open(&path).expect("readers need no lock"), "one"), ["a"]);
    holder.kill().expect("a process to kill");
    holder.wait().expect("a process that ends");
    assert!(IndexWriter::open(&path, OPTIONS).is_ok());
}

#[test]
#[ignore = "run by another test in a child process"]
fn cannot_write_to_a_read_only_folder() {
    let Some(folder) = child_folder() else { return };
    let path = folder.join("index");
    for (expected_path, refused) in [
        (&path, IndexWriter::open(&path, OPTIONS)),
        (&path, IndexWriter::create(&path, Analyzer::ENGLISH, WriterOptions { overwrite: true, ..OPTIONS })),
        (&folder.join("new"), IndexWriter::create(&folder.join("new"), Analyzer::ENGLISH, OPTIONS)),
    ] {
        match refused {
            Err(Error::Io { path, source, .. }) => {
                assert_eq!((&path, source.kind()), (expected_path, ErrorKind::PermissionDenied));
            }
            other => panic!("{other:?}"),
        }
    }
    let index = Bm25Index::open(&path).expect("a readable index");
    index.verify().expect("intact files");
    assert_eq!(found(&index, "one"), ["a"]);
}

#[test]
fn an_index_in_a_read_only_folder_can_be_searched_but_not_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    drop(create_index(&path));
    for entry in fs::read_dir(&path).expect("a folder") {
        let file = entry.expect("an entry").path();
        fs::set_permissions(file, PermissionsExt::from_mode(0o444)).expect("a file of this user");
    }
    for folder in [&path, folder.path()] {
        fs::set_permissions(folder, PermissionsExt::from_mode(0o555)).expect("a folder of this user");
    }
    let mut command = child("cannot_write_to_a_read_only_folder", folder.path());
    if fs::write(folder.path().join("probe"), "").is_ok() {
        // This user is the superuser, who is not restricted by permissions.
        command.uid(NOBODY).gid(NOBODY).current_dir("/");
    }
    let output = command.output();
    for folder in [folder.path(), &path] {
        fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("a folder of this user");
    }
    match output {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            skip(
                "read-only folders: permissions do not restrict this user, and no other user can run this test",
            );
        }
        output => {
            let output = output.expect("a process");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
#[ignore = "run by another test in a child process"]
fn writes_until_a_file_is_too_large() {
    let Some(folder) = child_folder() else { return };
    let path = folder.join("index");
    let mut writer = IndexWriter::open(&path, OPTIONS).expect("an index");
    let error = add_until_refused(&mut writer);
    check_refused(&path, &mut writer, &error, &[ErrorKind::FileTooLarge]);
    writer.add("b", None, "two").expect("a new id");
    writer.commit().expect("room for a small commit");
}

#[test]
fn after_a_failed_write_the_writer_can_be_rolled_back_and_used() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    drop(create_index(&path));
    // The shell limits the size of files to 128 KiB (some shells: 256 KiB) and ignores SIGXFSZ, so that a write beyond
    // the limit fails instead of killing the process.
    let writes = child("writes_until_a_file_is_too_large", folder.path());
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 256 && exec \"$0\" \"$@\""]).arg(writes.get_program());
    let output = limited.args(writes.get_args()).env(FOLDER, folder.path()).output().expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let index = Bm25Index::open(&path).expect("an intact index");
    assert_eq!((found(&index, "one"), found(&index, "two")), (vec!["a".to_owned()], vec!["b".to_owned()]));
}

/// A file system of a given size in memory (tmpfs), mounted on a temporary folder while this value exists.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// Mounts a file system of this size. Returns `None` if this user cannot mount one.
    fn new(bytes: u64) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let size = format!("size={bytes}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "passagekit"]).arg(folder.path()).stderr(Stdio::null());
        mount.status().ok()?.success().then(|| Self(folder))
    }

    /// Returns the path for an index on the file system.
    fn index(&self) -> PathBuf {
        self.0.path().join("index")
    }

    /// Fills the file system except for `free_bytes` bytes.
    fn fill(&self, free_bytes: usize) {
        let filler = self.0.path().join("filler");
        fs::remove_file(&filler).ok();
        let mut size = 0;
        let mut file = fs::File::create(&filler).expect("a file");
        while std::io::Write::write_all(&mut file, &[0; 4096]).is_ok() {
            size += 4096;
        }
        file.set_len((size as u64).saturating_sub(free_bytes as u64)).expect("a smaller file");
    }

    /// Deletes the file that [`fill`](Self::fill) wrote.
    fn free(&self) {
        fs::remove_file(self.0.path().join("filler")).expect("a file");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg(self.0.path()).status().ok();
    }
}

#[test]
fn whichever_write_fails_on_a_full_disk_the_writer_can_continue_when_there_is_room() {
    let Some(disk) = SmallDisk::new(3 << 20) else {
        return skip("full disks: this user cannot mount a small file system");
    };
    let path = disk.index();
    let mut writer = create_index(&path);
    let error = add_until_refused(&mut writer);
    check_refused(&path, &mut writer, &error, &[ErrorKind::StorageFull]);

    // The free space grows from nothing to enough. So for each file of a commit or a merge, there is a round in which
    // the file does not fit.
    let mut refused = 0;
    for free in (0..40).map(|pages| pages * 4096) {
        let committed = writer.len();
        disk.fill(free);
        let id = format!("b{free}");
        // The first round adds b0. The next commit that succeeds deletes b0, so all commits up to that one also try to
        // write a file of deletions.
        writer.delete(&["b0"]).expect("a deletion");
        writer.add(&id, None, "two two").expect("a passage that fits into memory");
        let result = writer.commit();
        if let Err(error) = &result {
            refused += 1;
            check_refused(&path, &mut writer, error, &[ErrorKind::StorageFull]);
            assert_eq!(
                writer.len(),
                committed,
                "{free} bytes free: expected the writer to be back at its last commit"
            );
        } else if let Err(error) = writer.merge() {
            assert!(
                matches!(&error, Error::Io { source, .. } if source.kind() == ErrorKind::StorageFull),
                "{error:?}"
            );
        }
        disk.free();
        let index = Bm25Index::open(&path).expect("an intact index");
        index.verify().expect("intact files");
        assert_eq!(
            (index.len(), found(&index, "one")),
            (writer.len(), vec!["a".to_owned()]),
            "{free} bytes free"
        );
        if result.is_err() {
            writer.add(&id, None, "two two").expect("an id that was rolled back");
            writer.commit().expect("a commit with enough space");
        }
    }
    assert!((2..40).contains(&refused), "{refused} of 40 commits were refused");
    writer.merge().expect("a merge with enough space");
    let index = Bm25Index::open(&path).expect("an intact index");
    // `found` returns at most ten ids.
    assert_eq!((index.len(), found(&index, "two").len()), (writer.len(), 10));
}

#[test]
fn creating_an_index_fails_on_a_full_disk_and_succeeds_when_there_is_room() {
    let Some(disk) = SmallDisk::new(1 << 20) else {
        return skip("full disks: this user cannot mount a small file system");
    };
    let path = disk.index();
    let mut created = 0;
    for free in (0..8).map(|pages| pages * 4096) {
        disk.fill(free);
        // An index that never had a passage does not count as an index, so it can be created again.
        match IndexWriter::create(&path, Analyzer::ENGLISH, OPTIONS) {
            Ok(_) => created += 1,
            Err(Error::Io { source, .. }) => assert_eq!(source.kind(), ErrorKind::StorageFull),
            Err(error) => panic!("{free} bytes free: {error:?}"),
        }
        disk.free();
    }
    assert!((1..8).contains(&created), "created {created} of 8");
    drop(create_index(&path));
    assert_eq!(found(&Bm25Index::open(&path).expect("an intact index"), "one"), ["a"]);
}
