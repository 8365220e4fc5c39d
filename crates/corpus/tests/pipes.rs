//! Files that make a reader wait or work for a long time (FIFOs, devices and very long files) are read or refused, and
//! reading them can be canceled.
#![cfg(unix)]

#[path = "common/input.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod input;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use control::Control;
use corpus::{
    Error, PassageFormat, QuestionFormat, ReadOptions, open_passages, open_questions, read_qrels_cancelable,
    read_run_cancelable,
};
use input::{files_with_long_record, ids};

/// Calls `work` and cancels it after `delay`. Returns the result of `work`, and how long after the cancellation it
/// returned.
fn canceled_after<T>(delay: Duration, work: impl FnOnce(Arc<Control>) -> T) -> (T, Duration) {
    let control = Arc::new(Control::new());
    let canceler = Arc::clone(&control);
    let cancel = std::thread::spawn(move || {
        std::thread::sleep(delay);
        canceler.cancel();
        Instant::now()
    });
    let result = work(control);
    let ended = Instant::now();
    (result, ended.saturating_duration_since(cancel.join().expect("it only sleeps")))
}

/// Creates a FIFO in a folder and returns its path.
fn fifo(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo is there");
    assert!(made.success());
    path
}

#[test]
fn reading_gigabytes_of_blank_lines_or_millions_of_empty_gzip_members_can_be_canceled() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("blank.tsv.gz");
    let mut encoder = flate2::write::GzEncoder::new(
        std::fs::File::create(&path).expect("writable"),
        flate2::Compression::fast(),
    );
    encoder.write_all(b"1\ta\n").expect("writable");
    let blank = vec![b'\n'; 1 << 20];
    for _ in 0..3000 {
        encoder.write_all(&blank).expect("writable");
    }
    encoder.finish().expect("writable");
    let members = folder.path().join("members.tsv.gz");
    let empty = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast())
        .finish()
        .expect("memory is writable");
    std::fs::write(&members, empty.repeat(10_000_000)).expect("writable");
    for path in [&path, &members] {
        let (result, latency) = canceled_after(Duration::from_millis(100), |control| {
            let options = ReadOptions { control, ..ReadOptions::default() };
            open_passages(path, PassageFormat::Dpr, &options)
                .and_then(|reader| reader.collect::<Result<Vec<_>, _>>())
        });
        assert!(matches!(result, Err(Error::Canceled(_))), "{}", path.display());
        assert!(latency < Duration::from_secs(5), "{latency:?}");
    }
}

#[test]
fn a_fifo_is_read_in_every_format_whether_given_or_detected() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, file) in files_with_long_record(300).into_iter().enumerate() {
        for (attempt, format) in [file.format, PassageFormat::Auto].into_iter().enumerate() {
            let path = fifo(folder.path(), &format!("{number}-{attempt}"));
            let (written, bytes) = (path.clone(), file.content.clone());
            let writer = std::thread::spawn(move || {
                // The reader first waits for the writer, and then for each chunk.
                std::thread::sleep(Duration::from_millis(120));
                let mut output = std::fs::OpenOptions::new().write(true).open(written).expect("opens");
                for chunk in bytes.as_bytes().chunks(200) {
                    output.write_all(chunk).expect("writable");
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
            let (found, skipped) = ids(&path, format, &ReadOptions::default()).expect("read");
            writer.join().expect("it writes");
            assert_eq!((found.len(), skipped), (3, 0), "{format}");
            assert!(file.short_ids.iter().all(|id| found.iter().any(|found| found == id)), "{format}");
        }
    }
}

#[test]
fn reading_a_fifo_without_a_writer_or_with_one_that_writes_nothing_can_be_canceled() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = fifo(folder.path(), "fifo");
    for has_writer in [false, true] {
        // Opening a FIFO for reading and writing does not block. The FIFO then has a writer, which writes nothing.
        let _writer = has_writer
            .then(|| std::fs::OpenOptions::new().read(true).write(true).open(&path).expect("opens"));
        let wait = Duration::from_millis(200);
        let passages = canceled_after(wait, |control| {
            open_passages(&path, PassageFormat::Auto, &ReadOptions { control, ..ReadOptions::default() })
                .map(drop)
        });
        let questions = canceled_after(wait, |control| {
            open_questions(&path, QuestionFormat::Auto, &ReadOptions { control, ..ReadOptions::default() })
                .map(drop)
        });
        let run = canceled_after(wait, |control| read_run_cancelable(&path, control).map(drop));
        let qrels = canceled_after(wait, |control| read_qrels_cancelable(&path, control).map(drop));
        for (result, latency) in [passages, questions, run, qrels] {
            assert!(matches!(result, Err(Error::Canceled(_))), "{result:?}");
            assert!(latency < Duration::from_secs(5), "{latency:?}");
        }
    }
}

#[test]
fn a_waiting_reader_is_canceled_by_the_control_that_was_set_last() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = fifo(folder.path(), "fifo");
    let mut writer = std::fs::OpenOptions::new().read(true).write(true).open(&path).expect("opens");
    writer.write_all(b"1\ta\n2\tb").expect("writable");
    let mut reader = open_passages(&path, PassageFormat::Dpr, &ReadOptions::default()).expect("opens");
    assert_eq!(reader.next().expect("present").expect("valid").id, "1");
    let (result, _) = canceled_after(Duration::from_millis(100), |control| {
        reader.set_control(control);
        reader.next()
    });
    assert!(matches!(result, Some(Err(Error::Canceled(_)))), "{result:?}");
}

#[test]
fn a_folder_with_a_fifo_socket_or_device_that_has_the_name_of_a_text_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "fine").expect("writable");
    // A FIFO without the extension of a text file is ignored.
    fifo(folder.path(), "b.log");
    assert_eq!(
        ids(folder.path(), PassageFormat::Auto, &ReadOptions::default()).expect("fine").0,
        ["a.txt#0"]
    );
    let expect_refused = |kind: &str| {
        let error = ids(folder.path(), PassageFormat::Auto, &ReadOptions::default()).expect_err("refused");
        assert!(error.ends_with(&format!("c.txt: expected a regular file, got {kind}")), "{error}");
        std::fs::remove_file(folder.path().join("c.txt")).expect("present");
    };
    fifo(folder.path(), "c.txt");
    expect_refused("a FIFO");
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("c.txt")).expect("a link");
    expect_refused("a character device");
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("c.txt")).expect("a socket");
    expect_refused("a socket");
}
