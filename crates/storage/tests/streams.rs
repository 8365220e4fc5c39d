//! Writing to a target that is not a regular file: a FIFO, a device or an open file descriptor. [`Output`] writes to it
//! directly; [`Writer`], which writes index files, fails.
#![cfg(unix)]

mod common;

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use common::{names, write_output};
use storage::{FileKind, Output, Stop, Writer};

/// Creates a FIFO at `path`.
fn create_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
fn fifos_and_devices_receive_the_bytes_and_are_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let [pipe, link] = ["pipe", "link"].map(|name| folder.path().join(name));
    create_fifo(&pipe);
    symlink("pipe", &link).expect("a link");
    let content: Vec<u8> = (0..1_000_000u32).flat_map(u32::to_le_bytes).collect();
    for target in [&pipe, &link] {
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).expect("readable")
        });
        write_output(target, &content).expect("written");
        assert!(reader.join().expect("no panic") == content);
    }
    write_output(Path::new("/dev/null"), &content).expect("written");
    assert!(!fs::metadata("/dev/null").expect("it exists").is_file());
    write_output(Path::new("/dev/full"), &content).expect_err("the device is full");
    assert_eq!(names(folder.path()), ["link", "pipe"]);
}

#[test]
fn a_writer_that_waits_for_the_reader_of_a_fifo_can_be_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    create_fifo(&pipe);
    let flag = Arc::new(AtomicBool::new(false));
    let stop = |flag: &Arc<AtomicBool>| -> Stop {
        let flag = Arc::clone(flag);
        Box::new(move || flag.load(Ordering::Relaxed))
    };
    thread::scope(|scope| {
        // Stop while the writer waits for a reader to open the FIFO.
        let opening = scope.spawn(|| Output::create(&pipe, stop(&flag)).map(drop));
        thread::sleep(std::time::Duration::from_millis(50));
        assert!(!opening.is_finished());
        flag.store(true, Ordering::Relaxed);
        opening.join().expect("no panic").expect_err("stopped");
        // Stop while the FIFO is full because its reader does not read.
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
fn containers_are_written_only_to_regular_files() {
    const KIND: FileKind = FileKind { magic: *b"PKTEST\0\0", version: 1, name: "test" };
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    create_fifo(&pipe);
    for (path, got) in [
        (pipe.as_path(), "a FIFO"),
        (Path::new("/dev/null"), "a character device"),
        (Path::new("/dev/fd/1"), "an open descriptor"),
    ] {
        let error = Writer::create(path, KIND).expect_err("not a regular file").to_string();
        let expected = format!("write {}: expected a regular file or a new one, got {got}", path.display());
        assert_eq!(error, expected);
    }
    assert_eq!(names(folder.path()), ["pipe"]);
}

#[test]
fn the_file_of_an_open_descriptor_is_appended_to_and_not_replaced() {
    use std::os::fd::AsRawFd;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    fs::write(&path, "first\n").expect("writable");
    let file = fs::OpenOptions::new().append(true).open(&path).expect("it exists");
    write_output(Path::new(&format!("/dev/fd/{}", file.as_raw_fd())), b"second\n").expect("written");
    assert_eq!(fs::read(&path).expect("it exists"), b"first\nsecond\n");
    assert_eq!(names(folder.path()), ["log"]);
}
