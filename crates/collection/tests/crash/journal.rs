//! Runs a child under the tracer, the program `trace.c`. The tracer records in a journal how the child changes a
//! folder. [`record`] returns these records as [`Event`]s.

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{fs, io};

use crate::child::{arguments, command};

/// A record of the journal: usually a change of files that a child made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Opened a file; the system returned this descriptor.
    Open {
        path: PathBuf,
        descriptor: i32,
        is_created: bool,
        is_truncated: bool,
    },
    /// Duplicated a descriptor.
    Duplicate {
        from: i32,
        to: i32,
    },
    Write {
        descriptor: i32,
        offset: u64,
        data: Bytes,
    },
    SetLength {
        descriptor: i32,
        length: u64,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Remove {
        path: PathBuf,
    },
    CreateFolder {
        path: PathBuf,
    },
    Sync {
        descriptor: i32,
    },
    SyncFolder {
        path: PathBuf,
    },
    /// The child reported a finished commit.
    Committed {
        generation: u64,
    },
    /// The tracer made a system call on this path fail. `call` is the kind of record that the call would have got.
    Fault {
        path: PathBuf,
        call: u8,
    },
}

/// Written bytes. Debug output shows only their number.
#[derive(Clone, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

/// Which system calls of a child fail while faults are switched on.
#[derive(Debug, Clone, Copy)]
pub struct Faults {
    /// Each call fails with a probability of 1 in `period`. If this is 0, no call fails.
    pub period: u64,
    /// The seed of the random choice.
    pub seed: u64,
}

/// Compiles `trace.c` and returns the path of the program. Prints a message and returns `None` if this system has no
/// compiler or does not allow a process to trace its children.
fn tracer() -> Option<&'static Path> {
    static TRACER: OnceLock<Option<(tempfile::TempDir, PathBuf)>> = OnceLock::new();
    let compile = || {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = folder.path().join("trace");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/crash/trace.c");
        let compiled = Command::new("cc").args(["-O1", "-o"]).arg(&program).arg(source).status();
        let journal = folder.path().join("journal");
        let works = compiled.is_ok_and(|status| status.success())
            && Command::new(&program)
                .args([&journal, folder.path()])
                .args(["0", "0", "/bin/true"])
                .status()
                .is_ok_and(|status| status.success());
        works.then_some((folder, program))
    };
    let tracer = TRACER.get_or_init(compile).as_ref();
    if tracer.is_none() {
        eprintln!(
            "SKIPPED: tests of power losses and failing calls need `cc` and permission to trace processes"
        );
    }
    tracer.map(|(_, program)| program.as_path())
}

/// Runs a test of this program as a child. Returns the changes that the child made below `home`, and the child's
/// output. Returns `None` if this system cannot trace processes. Panics if the child fails.
pub fn record(test: &str, home: &Path, seed: u64, faults: Faults) -> Option<(Vec<Event>, String)> {
    let tracer = tracer()?;
    let journal = tempfile::NamedTempFile::new().expect("a temporary file");
    // The tracer starts the child, so the tracer must get the environment that the child needs.
    let child = command(test, &home.join("collection"), seed);
    let mut traced = Command::new(tracer);
    traced.arg(journal.path()).arg(home).args([faults.period.to_string(), faults.seed.to_string()]);
    traced.arg(child.get_program()).args(arguments(test));
    for (name, value) in child.get_envs() {
        traced.env(name, value.expect("a value"));
    }
    let output = traced.stdin(Stdio::null()).output().expect("a process");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let mut file = BufReader::new(fs::File::open(journal.path()).expect("a journal"));
    let mut events = Vec::new();
    while let Some(event) = read_event(&mut file).expect("complete records") {
        events.push(event);
    }
    Some((events, text(&output.stdout)))
}

/// Reads one record; `trace.c` documents the format. Returns `None` at the end of the file.
fn read_event(journal: &mut impl Read) -> io::Result<Option<Event>> {
    let mut header = [0; 32];
    match journal.read_exact(&mut header) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (kind, flag, descriptor) = (header[0], header[1], word(4) as i32);
    let number = u64::from(word(8)) | u64::from(word(12)) << 32;
    let mut path = vec![0; word(16) as usize];
    let mut data = vec![0; word(20) as usize];
    journal.read_exact(&mut path)?;
    journal.read_exact(&mut data)?;
    let path_of = |bytes: Vec<u8>| PathBuf::from(String::from_utf8(bytes).expect("a path of UTF-8"));
    let path = path_of(path);
    Ok(Some(match kind {
        b'O' => Event::Open { path, descriptor, is_created: flag & 1 != 0, is_truncated: flag & 2 != 0 },
        b'P' => Event::Duplicate { from: descriptor, to: number as i32 },
        b'W' => Event::Write { descriptor, offset: number, data: Bytes(data) },
        b'T' => Event::SetLength { descriptor, length: number },
        b'R' => Event::Rename { from: path, to: path_of(data) },
        b'U' => Event::Remove { path },
        b'D' => Event::CreateFolder { path },
        b'S' if flag == 1 => Event::SyncFolder { path },
        b'S' => Event::Sync { descriptor },
        b'C' => Event::Committed { generation: number },
        b'F' => Event::Fault { path, call: flag },
        _ => panic!("a change of {} that the tracer cannot record: {:?}", path.display(), kind as char),
    }))
}
