//! If a writer is killed at any moment, the index has its last commit or the one that was in progress, and nothing
//! else.
//!
//! Each test starts child processes, one after another. A child runs one of the `#[ignore]`d tests of this file and
//! records finished commits. The test kills 6 children, or 200 with `PASSAGEKIT_LONG=1`, and checks the index after
//! each kill.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use control::Control;
use numerics::SplitMix64;
use sparse::{Analyzer, Bm25, Bm25Index, Error, IndexWriter, WriterOptions};

const OPTIONS: WriterOptions = WriterOptions { overwrite: false, threads: 1, memory: 15_000_000 };
/// The environment variable that passes the folder to a child process.
const FOLDER: &str = "PASSAGEKIT_CRASH_FOLDER";
/// The environment variable that tells a child process where to begin: the number of commits that the index has, or the
/// [generation](GENERATION_PASSAGES) of the first index to write.
const FROM: &str = "PASSAGEKIT_CRASH_FROM";

/// Returns the number of child processes that a test kills.
fn rounds() -> u64 {
    if std::env::var_os("PASSAGEKIT_LONG").is_some() { 200 } else { 6 }
}

/// A change of an index, with the id of a passage and, unless it is a deletion, the passage's text.
enum Change {
    Add(String, String),
    Update(String, String),
    Delete(String),
}

/// The passages of an index by id. A value is the serial number of the change that added or last updated the
/// passage, and the passage's text.
type State = BTreeMap<String, (u64, String)>;

/// Returns the changes of commit `number`, and applies them to `state`. They depend only on the two arguments, so that
/// parent and child compute the same changes. Each text has a term that no other text has.
fn changes(number: u64, state: &mut State) -> Vec<Change> {
    let mut random = SplitMix64::new(number);
    let mut changes = Vec::new();
    for step in 0..1 + random.below(40) {
        let serial = number * 1000 + step;
        let words: String = (0..random.below(12)).map(|_| format!(" w{}", random.below(30))).collect();
        let text = format!("common t{serial}{words}");
        let known = state.keys().nth(random.below(state.len() as u64 + 1) as usize).cloned();
        match (random.below(4), known) {
            (0, Some(id)) => {
                state.remove(&id);
                changes.push(Change::Delete(id));
            }
            (1, Some(id)) => {
                state.insert(id.clone(), (serial, text.clone()));
                changes.push(Change::Update(id, text));
            }
            _ => {
                let id = format!("p{serial}");
                state.insert(id.clone(), (serial, text.clone()));
                changes.push(Change::Add(id, text));
            }
        }
    }
    changes
}

/// Returns the state of the index after this number of commits.
fn state_after(commits: u64) -> State {
    let mut state = State::new();
    (1..=commits).for_each(|number| drop(changes(number, &mut state)));
    state
}

/// Starts a test of this file in a child process, with the environment variables [`FOLDER`] and [`FROM`].
fn start(test: &str, folder: &Path, from: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args([test, "--exact", "--ignored", "--nocapture"]);
    command.env(FOLDER, folder).env(FROM, from.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a process")
}

/// Kills a child process after at most 0.3 seconds; the time depends on the round. Fails if the process has already
/// ended on its own.
fn kill(mut child: Child, round: u64) {
    std::thread::sleep(Duration::from_micros(SplitMix64::new(round).below(300_000)));
    child.kill().expect("a process to kill");
    let ended = child.wait_with_output().expect("a process that ends");
    assert!(ended.status.code().is_none(), "{}", String::from_utf8_lossy(&ended.stderr));
}

/// Returns the arguments `folder` and `from` of the call of [`start`] that started this process; `None` if another
/// program started it.
fn child_arguments() -> Option<(std::path::PathBuf, u64)> {
    let folder = std::env::var_os(FOLDER)?;
    Some((folder.into(), std::env::var(FROM).ok()?.parse().ok()?))
}

/// Records a finished commit in a file outside the index. A line that was written survives when the process is killed.
fn acknowledge(folder: &Path, number: u64) {
    let file = OpenOptions::new().append(true).create(true).open(folder.join("acknowledged"));
    writeln!(file.expect("a file to append to"), "{number}").expect("a line");
}

/// Returns the last commit that was recorded.
fn acknowledged(folder: &Path) -> Option<u64> {
    let lines = fs::read_to_string(folder.join("acknowledged")).ok()?;
    // The last line may be incomplete, because the process was killed while writing it.
    lines.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')?.parse().ok()).next_back()
}

/// Returns the ids of all hits with the bits of their scores.
fn hits(index: &Bm25Index, query: &str) -> Vec<(String, u32)> {
    let searcher = index.searcher();
    let hits = searcher.search(query, 100_000, Bm25::default(), &Control::new()).expect("hits");
    searcher.ids(&hits).expect("ids").into_iter().zip(hits.iter().map(|hit| hit.score.to_bits())).collect()
}

/// Returns true if the index has exactly the passages of a state, each with its text.
fn has_state(index: &Bm25Index, state: &State) -> bool {
    let mut found: Vec<String> = hits(index, "common").into_iter().map(|(id, _)| id).collect();
    found.sort_unstable();
    index.len() == state.len() as u64
        && found.iter().eq(state.keys())
        && state.iter().all(|(id, (serial, _))| {
            hits(index, &format!("t{serial}")).iter().map(|(found, _)| found).eq([id])
        })
}

#[test]
#[ignore = "run by another test in a child process"]
fn commits_until_killed() {
    let Some((folder, from)) = child_arguments() else { return };
    let path = folder.join("index");
    let mut state = state_after(from);
    let mut writer = IndexWriter::open(&path, OPTIONS).expect("an index");
    for number in from + 1.. {
        for change in changes(number, &mut state) {
            match change {
                Change::Add(id, text) => writer.add(&id, None, &text).expect("a new id"),
                Change::Update(id, text) => assert!(writer.update(&id, None, &text).expect("an update")),
                Change::Delete(id) => assert_eq!(writer.delete(&[id]).expect("a deletion"), 1),
            }
        }
        writer.commit().expect("a commit");
        acknowledge(&folder, number);
        // After some commits, the writer merges, is opened again, or rolls back.
        match number % 7 {
            0 => writer.merge().expect("a merge"),
            3 => {
                drop(writer);
                writer = IndexWriter::open(&path, OPTIONS).expect("an index");
            }
            5 => {
                writer.add("gone", None, "common gone").expect("a new id");
                writer.rollback().expect("the last commit");
            }
            _ => {}
        }
    }
}

#[test]
fn after_a_kill_the_index_has_the_last_commit_or_the_next() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    IndexWriter::create(&path, Analyzer::WHITESPACE, OPTIONS)
        .expect("a new index")
        .close()
        .expect("no merges");
    let mut commits = 0;
    for round in 0..rounds() {
        kill(start("commits_until_killed", folder.path(), commits), round);
        let min_commit = acknowledged(folder.path()).unwrap_or(0).max(commits);
        let index = Bm25Index::open(&path).expect("an intact index");
        index.verify().expect("intact files");
        let (last, next) = (state_after(min_commit), state_after(min_commit + 1));
        commits = if has_state(&index, &last) { min_commit } else { min_commit + 1 };
        let state = if commits == min_commit { last } else { next };
        assert!(has_state(&index, &state), "round {round}: neither commit {min_commit} nor the next");

        // A writer can continue. After a merge, which removes deleted passages, the scores equal those of a new index.
        let mut writer = IndexWriter::open(&path, OPTIONS).expect("an intact index");
        assert_eq!(writer.len(), state.len() as u64);
        writer.commit().expect("a commit");
        writer.merge().expect("a merge");
        writer.close().expect("merges that end");
        index.reload().expect("an intact index");
        assert!(has_state(&index, &state));
        let other = tempfile::tempdir().expect("a temporary folder");
        let mut writer =
            IndexWriter::create(other.path(), Analyzer::WHITESPACE, OPTIONS).expect("a new index");
        let mut passages: Vec<_> = state.iter().map(|(id, (serial, text))| (serial, id, text)).collect();
        passages.sort_unstable();
        passages.iter().for_each(|(_, id, text)| writer.add(id, None, text).expect("a new id"));
        writer.commit().expect("a commit");
        let rebuilt = Bm25Index::open(other.path()).expect("an intact index");
        for query in ["w1 w7 w7", "common w3", "w11 w12 w13 w14 w15"] {
            assert_eq!(hits(&index, query), hits(&rebuilt, query), "round {round}: {query}");
        }
        let temporary_files = fs::read_dir(&path).expect("a folder").filter(|entry| {
            entry.as_ref().expect("an entry").file_name().to_string_lossy().starts_with(".tmp")
        });
        assert_eq!(temporary_files.count(), 0);
    }
    assert!(commits > 0, "no child reached a commit");
}

/// Number of passages in each *generation* of an index. A generation replaces the one before it.
const GENERATION_PASSAGES: u64 = 20;

/// Returns the analyzer of a generation. It differs from the analyzer of the generation before.
fn analyzer_of(generation: u64) -> Analyzer {
    if generation.is_multiple_of(2) { Analyzer::ENGLISH } else { Analyzer::SIMPLE }
}

/// If [`FROM`] is 0, the child creates an index, and then sleeps until it is killed. Otherwise it replaces the index
/// again and again, beginning with the generation [`FROM`].
#[test]
#[ignore = "run by another test in a child process"]
fn replaces_until_killed() {
    let Some((folder, from)) = child_arguments() else { return };
    let options = WriterOptions { overwrite: from > 0, ..OPTIONS };
    for generation in from.. {
        let path = folder.join("index");
        let mut writer = IndexWriter::create(&path, analyzer_of(generation), options)
            .expect("an index to create or replace");
        let passages = |range: std::ops::Range<u64>| {
            range.map(|at| {
                (format!("p{at}"), format!("common running{}", "x".repeat(generation as usize % 9)))
            })
        };
        passages(0..GENERATION_PASSAGES)
            .for_each(|(id, text)| writer.add(&id, None, &text).expect("a new id"));
        writer.commit().expect("a commit");
        acknowledge(&folder, generation);
        if from == 0 {
            std::thread::sleep(Duration::from_secs(60));
        }
    }
}

/// Returns true if an index has the analyzer and the words of a generation, in the right number of passages.
fn is_generation(index: &Bm25Index, generation: u64) -> bool {
    let word = format!("running{}", "x".repeat(generation as usize % 9));
    index.analyzer() == analyzer_of(generation)
        && index.len() == GENERATION_PASSAGES
        && hits(index, &word).len() as u64 == GENERATION_PASSAGES
}

#[test]
fn a_first_build_that_was_killed_can_be_started_again() {
    for round in 0..rounds() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("index");
        kill(start("replaces_until_killed", folder.path(), 0), round);
        match Bm25Index::open(&path) {
            Ok(index) if !index.is_empty() => {
                assert!(is_generation(&index, 0));
                continue;
            }
            Ok(_) | Err(Error::NotFound { .. } | Error::NotAnIndex { .. }) => {}
            Err(error) => panic!("round {round}: {error:?}"),
        }
        assert_eq!(acknowledged(folder.path()), None);
        let mut writer = IndexWriter::create(&path, Analyzer::SIMPLE, OPTIONS).expect("no finished index");
        writer.add("a", None, "one").expect("a new id");
        writer.commit().expect("a commit");
        let index = Bm25Index::open(&path).expect("an intact index");
        assert_eq!((index.len(), index.analyzer()), (1, Analyzer::SIMPLE));
    }
}

#[test]
fn after_a_kill_during_a_replacement_the_index_is_the_old_or_the_new_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    let mut generation = 1;
    let mut writer = IndexWriter::create(&path, analyzer_of(1), OPTIONS).expect("a new index");
    (0..GENERATION_PASSAGES)
        .for_each(|at| writer.add(&format!("p{at}"), None, "runningx").expect("a new id"));
    writer.commit().expect("a commit");
    drop(writer);
    for round in 0..rounds() {
        kill(start("replaces_until_killed", folder.path(), generation + 1), round);
        let recorded = acknowledged(folder.path()).unwrap_or(1).max(generation);
        let index = Bm25Index::open(&path).expect("an intact index");
        index.verify().expect("intact files");
        generation = if is_generation(&index, recorded) { recorded } else { recorded + 1 };
        assert!(is_generation(&index, generation), "round {round}: neither {recorded} nor the next");
    }
    assert!(generation > 1, "no child reached a commit");
}
