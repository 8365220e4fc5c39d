//! Errors of the operating system: a second writer, a read-only folder, a full disk. Each becomes a typed error, and the
//! index keeps its last commit.
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
const FOLDER: &str = "PASSAGEKIT_FAILING_FOLDER";
/// The user id of `nobody`, who has no permissions, on Linux and macOS.
const NOBODY: u32 = 65_534;

fn found(index: &Bm25Index, query: &str) -> Vec<String> {
    let searcher = index.searcher();
    let hits = searcher.search(query, 10, Bm25::default(), &Control::new()).expect("hits");
    searcher.ids(&hits).expect("ids")
}

/// Creates an index with one passage.
fn indexed(path: &Path) -> IndexWriter {
    let mut writer = IndexWriter::create(path, Analyzer::WHITESPACE, OPTIONS).expect("a new index");
    writer.add("a", None, "one").expect("a new id");
    writer.commit().expect("a commit");
    writer
}

/// A child process that runs a test of this file.
fn child(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args([test, "--exact", "--ignored", "--nocapture"]).env(FOLDER, folder);
    command
}

fn told() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

fn skip(what: &str) {
    eprintln!("SKIPPING {what}");
}

/// Adds passages until tantivy has to write a segment and fails.
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
    panic!("expected no room for gigabytes");
}

/// Checks that the index has its last commit, and that the writer rejects everything until it is rolled back.
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
#[ignore = "the child of a test"]
fn holds_the_lock_until_killed() {
    let Some(folder) = told() else { return };
    let _writer = IndexWriter::open(&folder.join("index"), OPTIONS).expect("an index");
    fs::write(folder.join("ready"), "").expect("a file");
    std::thread::sleep(Duration::from_secs(60));
}

#[test]
fn a_second_writer_is_refused_in_another_process_too_and_let_in_when_the_first_is_killed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    drop(indexed(&path));
    let mut holder =
        child("holds_the_lock_until_killed", folder.path()).stdout(Stdio::null()).spawn().expect("a process");
    while !folder.path().join("ready").exists() {
        assert!(holder.try_wait().expect("a process").is_none(), "it ended too soon");
        std::thread::sleep(Duration::from_millis(2));
    }
    let overwrite = WriterOptions { overwrite: true, ..OPTIONS };
    for refused in
        [IndexWriter::open(&path, OPTIONS), IndexWriter::create(&path, Analyzer::ENGLISH, overwrite)]
    {
        let error = refused.expect_err("a second writer");
        assert!(matches!(&error, Error::Locked { path: named } if *named == path), "{error:?}");
        assert!(error.to_string().ends_with("expected no other writer, got one that holds the lock"));
    }
    assert_eq!(found(&Bm25Index::open(&path).expect("readers need no lock"), "one"), ["a"]);
    holder.kill().expect("a process to kill");
    holder.wait().expect("a process that ends");
    assert!(IndexWriter::open(&path, OPTIONS).is_ok());
}

#[test]
#[ignore = "the child of a test"]
fn writes_where_it_may_not() {
    let Some(folder) = told() else { return };
    let path = folder.join("index");
    for (named, refused) in [
        (&path, IndexWriter::open(&path, OPTIONS)),
        (&path, IndexWriter::create(&path, Analyzer::ENGLISH, WriterOptions { overwrite: true, ..OPTIONS })),
        (&folder.join("new"), IndexWriter::create(&folder.join("new"), Analyzer::ENGLISH, OPTIONS)),
    ] {
        match refused {
            Err(Error::Io { path, source, .. }) => {
                assert_eq!((&path, source.kind()), (named, ErrorKind::PermissionDenied));
            }
            other => panic!("{other:?}"),
        }
    }
    let index = Bm25Index::open(&path).expect("an index that may be read");
    index.verify().expect("intact files");
    assert_eq!(found(&index, "one"), ["a"]);
}

#[test]
fn a_folder_that_may_only_be_read_is_searched_and_not_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    drop(indexed(&path));
    for entry in fs::read_dir(&path).expect("a folder") {
        let file = entry.expect("an entry").path();
        fs::set_permissions(file, PermissionsExt::from_mode(0o444)).expect("an own file");
    }
    for folder in [&path, folder.path()] {
        fs::set_permissions(folder, PermissionsExt::from_mode(0o555)).expect("an own folder");
    }
    let mut command = child("writes_where_it_may_not", folder.path());
    if fs::write(folder.path().join("probe"), "").is_ok() {
        // For the superuser permissions mean nothing.
        command.uid(NOBODY).gid(NOBODY).current_dir("/");
    }
    let ended = command.output();
    for folder in [folder.path(), &path] {
        fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("an own folder");
    }
    match ended {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            skip(
                "read-only folders: another user may not run this test, and permissions do not bind this one",
            );
        }
        ended => {
            let ended = ended.expect("a process");
            assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        }
    }
}

#[test]
#[ignore = "the child of a test"]
fn fills_what_it_is_allowed() {
    let Some(folder) = told() else { return };
    let path = folder.join("index");
    let mut writer = IndexWriter::open(&path, OPTIONS).expect("an index");
    let error = add_until_refused(&mut writer);
    check_refused(&path, &mut writer, &error, &[ErrorKind::FileTooLarge]);
    writer.add("b", None, "two").expect("a new id");
    writer.commit().expect("room for a small commit");
}

#[test]
fn a_write_that_the_system_refuses_is_an_error_and_the_writer_recovers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    drop(indexed(&path));
    // No file of more than 128 KiB (256 in some shells), and no signal for who tries.
    let writes = child("fills_what_it_is_allowed", folder.path());
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 256 && exec \"$0\" \"$@\""]).arg(writes.get_program());
    let ended = limited.args(writes.get_args()).env(FOLDER, folder.path()).output().expect("a process");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let index = Bm25Index::open(&path).expect("an intact index");
    assert_eq!((found(&index, "one"), found(&index, "two")), (vec!["a".to_owned()], vec!["b".to_owned()]));
}

/// A file system of a given size, mounted while this value exists.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn new(bytes: u64) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let size = format!("size={bytes}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "passagekit"]).arg(folder.path()).stderr(Stdio::null());
        mount.status().ok()?.success().then(|| Self(folder))
    }

    fn index(&self) -> PathBuf {
        self.0.path().join("index")
    }

    /// Fills the file system except for this many bytes.
    fn fill(&self, free: usize) {
        let filler = self.0.path().join("filler");
        fs::remove_file(&filler).ok();
        let mut size = 0;
        let mut file = fs::File::create(&filler).expect("a file");
        while std::io::Write::write_all(&mut file, &[0; 4096]).is_ok() {
            size += 4096;
        }
        file.set_len((size as u64).saturating_sub(free as u64)).expect("a smaller file");
    }

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
fn a_full_disk_is_an_error_wherever_it_strikes_and_the_index_goes_on_when_there_is_room() {
    let Some(disk) = SmallDisk::new(3 << 20) else {
        return skip("full disks: this user may not mount a small one");
    };
    let path = disk.index();
    let mut writer = indexed(&path);
    let error = add_until_refused(&mut writer);
    check_refused(&path, &mut writer, &error, &[ErrorKind::StorageFull]);

    // From no room at all to enough, so that each file of a commit or merge is once the one that does not fit.
    let mut refused = 0;
    for free in (0..40).map(|pages| pages * 4096) {
        let committed = writer.len();
        disk.fill(free);
        let id = format!("b{free}");
        writer.delete(&["b0"]).expect("a deletion");
        writer.add(&id, None, "two two").expect("a passage that fits into memory");
        let result = writer.commit();
        if let Err(error) = &result {
            refused += 1;
            check_refused(&path, &mut writer, error, &[ErrorKind::StorageFull]);
            assert_eq!(writer.len(), committed, "{free} bytes free: it is at its last commit");
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
            writer.commit().expect("a commit where there is room");
        }
    }
    assert!((2..40).contains(&refused), "{refused} of 40 commits were refused");
    writer.merge().expect("a merge where there is room");
    let index = Bm25Index::open(&path).expect("an intact index");
    assert_eq!((index.len(), found(&index, "two").len()), (writer.len(), 10));
}

#[test]
fn an_index_is_not_made_on_a_full_disk_and_can_be_when_there_is_room() {
    let Some(disk) = SmallDisk::new(1 << 20) else {
        return skip("full disks: this user may not mount a small one");
    };
    let path = disk.index();
    let mut made = 0;
    for free in (0..8).map(|pages| pages * 4096) {
        disk.fill(free);
        match IndexWriter::create(&path, Analyzer::ENGLISH, OPTIONS) {
            Ok(_) => made += 1,
            Err(Error::Io { source, .. }) => assert_eq!(source.kind(), ErrorKind::StorageFull),
            Err(error) => panic!("{free} bytes free: {error:?}"),
        }
        disk.free();
    }
    assert!((1..8).contains(&made), "{made} of 8");
    drop(indexed(&path));
    assert_eq!(found(&Bm25Index::open(&path).expect("an intact index"), "one"), ["a"]);
}
