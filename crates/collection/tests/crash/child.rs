//! Child processes, each of which runs one `#[ignore]`d test of this test program.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use collection::Collection;

use crate::script::{OPTIONS, Script, create};

/// The environment variable with the folder of the collection, for a child.
const FOLDER: &str = "PASSAGEKIT_CRASH_FOLDER";
/// The environment variable with the seed of the script, for a child.
const SEED: &str = "PASSAGEKIT_CRASH_SEED";
/// The word before the number of a commit in the output of a writer. The tracer, `trace.c`, looks for it too.
const COMMITTED: &str = "committed ";

/// Returns a temporary folder, which is in memory if the system allows it. Commits are faster there, so processes are
/// killed at more different points. A folder in memory is as good a test as any: on every file system, a killed process
/// loses nothing that it has already written.
pub fn temporary_folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }
        .expect("a temporary folder")
}

/// Returns a command that runs one test of this program as a child, with a folder and a seed.
pub fn command(test: &str, folder: &Path, seed: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(arguments(test)).env(FOLDER, folder).env(SEED, seed.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the arguments with which this program runs one test.
pub fn arguments(test: &str) -> [String; 4] {
    [test, "--exact", "--ignored", "--nocapture"].map(str::to_owned)
}

/// Returns the folder and the seed that this process got from its parent; `None` if it was not started as a child.
pub fn received() -> Option<(PathBuf, u64)> {
    Some((std::env::var_os(FOLDER)?.into(), std::env::var(SEED).ok()?.parse().ok()?))
}

/// Waits until a child has ended, and returns the last commit that it reported. Panics if the child exited by itself
/// instead of being killed.
pub fn last_commit_of_killed(child: Child) -> Option<u64> {
    let ended = child.wait_with_output().expect("a process that ends");
    assert!(ended.status.code().is_none(), "{}", String::from_utf8_lossy(&ended.stderr));
    let lines = BufReader::new(&*ended.stdout).lines().map_while(Result::ok);
    lines.filter_map(|line| line.strip_prefix(COMMITTED)?.parse().ok()).last()
}

/// Reports a finished commit to the parent. Output that is already in the pipe is not lost when the process is killed.
pub fn report(generation: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{COMMITTED}{generation}").and_then(|()| out.flush()).expect("a pipe");
}

#[test]
#[ignore = "run by other tests in a child process"]
fn writes_until_killed() {
    let Some((folder, seed)) = received() else { return };
    let mut collection = match Collection::exists(&folder) {
        true => Collection::open(&folder, OPTIONS),
        false => create(&folder),
    }
    .expect("a collection");
    let mut script = Script::after(seed, collection.stats().expect("an open collection").generation);
    loop {
        report(script.commit_next(&collection).expect("a commit"));
        if script.generation.is_multiple_of(11) {
            collection.close().expect("merges that end");
            collection = Collection::open(&folder, OPTIONS).expect("a collection");
        }
    }
}
