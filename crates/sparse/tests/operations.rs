//! Random sequences of writer operations, compared with a model: a list of passages.
//!
//! After every operation a reader must show exactly the passages of the last commit, whatever is pending or being
//! merged, and even if the writer was killed. Sequences depend on no clock or other randomness, so proptest can shrink
//! failures.
//!
//! It runs 2,000 sequences, and 60 in which writers are killed; 25 times as many with `PASSAGEKIT_LONG=1`.
#![cfg(unix)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use control::Control;
use proptest::prelude::*;
use sparse::{Analyzer, Bm25, Bm25Index, Error, IndexWriter, Statistics, WriterOptions};

const OPTIONS: WriterOptions = WriterOptions { overwrite: false, threads: 1, memory: 15_000_000 };
const FOLDER: &str = "PASSAGEKIT_OPERATIONS_FOLDER";
const OPERATIONS: &str = "PASSAGEKIT_OPERATIONS";
/// Number of ids. It is small, so that most operations meet existing passages.
const IDS: u8 = 12;

fn cases(usual: u32) -> ProptestConfig {
    let long = std::env::var_os("PASSAGEKIT_LONG").is_some();
    ProptestConfig {
        cases: if long { 25 * usual } else { usual },
        max_shrink_iters: 2_000,
        ..ProptestConfig::default()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Operation {
    Add(u8),
    Update(u8),
    Delete(u8),
    Commit,
    /// A number of commits with one addition or update each: eight segments are enough for a background merge.
    Commits(u8),
    Rollback,
    /// Interrupts a set of changes, which must then be rolled back.
    Interrupt,
    Merge,
    MergeInBackground(bool),
    /// Closes the writer and opens another one.
    Close,
    /// The same as `Close`, without waiting for merges.
    Drop,
    /// Replaces the index by an empty one at the next commit.
    Overwrite,
    /// Kills the writer's process.
    Kill,
}

impl Operation {
    /// A letter and a number, for the command line of a child process.
    fn encode(&self) -> String {
        match *self {
            Self::Add(id) => format!("a{id}"),
            Self::Update(id) => format!("u{id}"),
            Self::Delete(id) => format!("d{id}"),
            Self::Commit => "c0".to_owned(),
            Self::Commits(count) => format!("s{count}"),
            Self::Rollback => "r0".to_owned(),
            Self::Interrupt => "i0".to_owned(),
            Self::Merge => "m0".to_owned(),
            Self::MergeInBackground(merges) => format!("b{}", u8::from(merges)),
            Self::Close => "x0".to_owned(),
            Self::Drop => "y0".to_owned(),
            Self::Overwrite => "o0".to_owned(),
            Self::Kill => "k0".to_owned(),
        }
    }

    fn decode(code: &str) -> Self {
        let number: u8 = code[1..].parse().expect("a number");
        match code.as_bytes()[0] {
            b'a' => Self::Add(number),
            b'u' => Self::Update(number),
            b'd' => Self::Delete(number),
            b'c' => Self::Commit,
            b's' => Self::Commits(number),
            b'r' => Self::Rollback,
            b'i' => Self::Interrupt,
            b'm' => Self::Merge,
            b'b' => Self::MergeInBackground(number == 1),
            b'x' => Self::Close,
            b'y' => Self::Drop,
            b'o' => Self::Overwrite,
            b'k' => Self::Kill,
            other => panic!("an operation, not {other}"),
        }
    }
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        12 => (0..IDS).prop_map(Operation::Add),
        8 => (0..IDS).prop_map(Operation::Update),
        12 => (0..IDS).prop_map(Operation::Delete),
        10 => Just(Operation::Commit),
        1 => (2..10u8).prop_map(Operation::Commits),
        4 => Just(Operation::Rollback),
        2 => Just(Operation::Interrupt),
        10 => Just(Operation::Merge),
        2 => any::<bool>().prop_map(Operation::MergeInBackground),
        4 => Just(Operation::Close),
        4 => Just(Operation::Drop),
        2 => Just(Operation::Overwrite),
    ]
}

/// A passage's id and the number of the change that added it, which is a term of its text.
type Passage = (u8, u64);

/// The passages that an index must contain, in order of insertion.
#[derive(Debug, Default, Clone)]
struct Model {
    committed: Vec<Passage>,
    /// The passages after the next commit.
    pending: Vec<Passage>,
    /// Whether the next commit replaces the index.
    overwriting: bool,
    changes: u64,
}

impl Model {
    fn has(&self, id: u8) -> bool {
        self.pending.iter().any(|&(other, _)| other == id)
    }

    /// Removes a passage. Returns whether it existed.
    fn remove(&mut self, id: u8) -> bool {
        let before = self.pending.len();
        self.pending.retain(|&(other, _)| other != id);
        self.pending.len() < before
    }

    fn put(&mut self, id: u8) {
        self.pending.push((id, self.changes));
    }

    /// Applies the changes of an operation, as the index must.
    fn apply(&mut self, operation: &Operation) {
        self.changes += 1;
        match *operation {
            Operation::Add(id) if !self.has(id) => self.put(id),
            Operation::Update(id) => {
                self.remove(id);
                self.put(id);
            }
            Operation::Delete(id) => drop(self.remove(id)),
            Operation::Commit => {
                self.committed.clone_from(&self.pending);
                self.overwriting = false;
            }
            Operation::Commits(count) => {
                for step in 0..count {
                    self.apply(&Operation::Update(step % IDS));
                    self.apply(&Operation::Commit);
                }
            }
            Operation::Rollback | Operation::Interrupt if self.overwriting => self.pending.clear(),
            Operation::Rollback | Operation::Interrupt => self.pending.clone_from(&self.committed),
            Operation::Close | Operation::Drop | Operation::Kill => {
                self.pending.clone_from(&self.committed);
                self.overwriting = false;
            }
            Operation::Overwrite => {
                self.pending.clear();
                self.overwriting = true;
            }
            Operation::Add(_) | Operation::Merge | Operation::MergeInBackground(_) => {}
        }
    }
}

fn text((id, change): Passage) -> String {
    format!("common change{change}{}", " word".repeat(usize::from(id)))
}

fn name(id: u8) -> String {
    format!("p{id}")
}

fn reopened(path: &Path) -> IndexWriter {
    IndexWriter::open(path, OPTIONS).expect("a sound index")
}

/// Performs one operation and checks its results against the model.
fn make(mut writer: IndexWriter, path: &Path, model: &mut Model, operation: &Operation) -> IndexWriter {
    let (known, size) = (|id| model.has(id), model.pending.len() as u64);
    let change = model.changes + 1;
    match *operation {
        Operation::Add(id) => match writer.add(&name(id), None, &text((id, change))) {
            Ok(()) => assert!(!known(id)),
            Err(Error::DuplicateId { .. }) => assert!(known(id)),
            Err(error) => panic!("{error:?}"),
        },
        Operation::Update(id) => {
            let replaced = writer.update(&name(id), None, &text((id, change))).expect("an update");
            assert_eq!(replaced, known(id));
        }
        Operation::Delete(id) => {
            assert_eq!(writer.delete(&[name(id)]).expect("a deletion"), u64::from(known(id)));
        }
        Operation::Commit => writer.commit().expect("a commit"),
        Operation::Commits(count) => {
            for step in 0..count {
                // Counted as in `Model::apply`: the operation itself, then an update and a commit per step.
                let passage = (step % IDS, change + 1 + 2 * u64::from(step));
                writer.update(&name(passage.0), None, &text(passage)).expect("an update");
                writer.commit().expect("a commit");
            }
        }
        Operation::Rollback => writer.rollback().expect("a rollback"),
        Operation::Interrupt => {
            writer.interrupt();
            assert!(matches!(writer.commit(), Err(Error::Interrupted { .. })));
            assert!(matches!(writer.delete(&[name(0)]), Err(Error::Interrupted { .. })));
            assert_eq!(writer.len(), size);
            writer.rollback().expect("a rollback");
        }
        Operation::Merge => writer.merge().expect("a merge"),
        Operation::MergeInBackground(merges) => writer.merge_in_background(merges),
        Operation::Close => {
            writer.close().expect("merges that end");
            writer = reopened(path);
        }
        Operation::Drop => {
            drop(writer);
            writer = reopened(path);
        }
        Operation::Overwrite => {
            drop(writer);
            let options = WriterOptions { overwrite: true, ..OPTIONS };
            writer = IndexWriter::create(path, Analyzer::WHITESPACE, options).expect("an index to replace");
        }
        Operation::Kill => panic!("only a child is killed"),
    }
    model.apply(operation);
    writer
}

fn found(index: &Bm25Index, query: &str) -> Vec<String> {
    let searcher = index.searcher();
    let hits = searcher.search(query, 1_000, Bm25::default(), &Control::new()).expect("hits");
    searcher.ids(&hits).expect("ids")
}

/// The reader shows the passages of the last commit, each with its own text, and nothing else.
fn check_reader(index: &Bm25Index, model: &Model) {
    assert_eq!(index.len(), model.committed.len() as u64);
    let mut all = found(index, "common");
    all.sort_unstable();
    let mut expected: Vec<String> = model.committed.iter().map(|&(id, _)| name(id)).collect();
    expected.sort_unstable();
    assert_eq!(all, expected);
    for &(id, change) in &model.committed {
        assert_eq!(found(index, &format!("change{change}")), [name(id)]);
    }
}

/// Statistics without deleted passages.
fn exact_statistics(model: &Model) -> Statistics {
    let tokens = model.committed.iter().map(|&(id, _)| 2 + u64::from(id)).sum();
    Statistics { passages: model.committed.len() as u64, tokens }
}

/// Performs operations in a process that is killed after the last one.
fn make_in_child(path: &Path, model: &mut Model, operations: &[Operation]) {
    let mut codes = String::new();
    for operation in operations {
        write!(codes, "{} ", operation.encode()).expect("a string takes all");
    }
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["child_that_is_killed", "--exact", "--ignored", "--nocapture"]);
    let ended = child.env(FOLDER, path).env(OPERATIONS, format!("{} {codes}", model.changes)).output();
    let ended = ended.expect("a child process");
    assert!(ended.status.code().is_none(), "{}", String::from_utf8_lossy(&ended.stderr));
    operations.iter().for_each(|operation| model.apply(operation));
    model.apply(&Operation::Kill);
}

#[test]
#[ignore = "the child of a test"]
fn child_that_is_killed() {
    let Some(path) = std::env::var_os(FOLDER) else { return };
    let told = std::env::var(OPERATIONS).expect("operations");
    let mut codes = told.split_whitespace();
    let changes = codes.next().and_then(|first| first.parse().ok()).expect("a number");
    let index = Bm25Index::open(path.as_ref()).expect("a sound index");
    let ids = found(&index, "common");
    let committed: Vec<Passage> = ids.iter().map(|id| (id[1..].parse().expect("a number"), 0)).collect();
    let mut model = Model { pending: committed.clone(), committed, overwriting: false, changes };
    let mut writer = reopened(path.as_ref());
    for code in codes {
        writer = make(writer, path.as_ref(), &mut model, &Operation::decode(code));
    }
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
        .expect("a signal");
    drop(writer);
}

/// A temporary folder in memory if possible, because it is faster and these tests do not depend on durability.
fn temporary_folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }
        .expect("a temporary folder")
}

fn check_sequence(operations: &[Operation]) {
    let folder = temporary_folder();
    let path = folder.path().join("index");
    let mut model = Model::default();
    let mut writer = IndexWriter::create(&path, Analyzer::WHITESPACE, OPTIONS).expect("a new index");
    // A first commit with a passage. A folder without a commit is not an index yet; a killed `create` may leave one
    // behind.
    writer = make(writer, &path, &mut model, &Operation::Add(0));
    writer = make(writer, &path, &mut model, &Operation::Commit);
    let index = Bm25Index::open(&path).expect("a sound index");
    let mut parts: Vec<&[Operation]> = operations.split(|operation| *operation == Operation::Kill).collect();
    let last = parts.pop().expect("at least one part");
    for part in parts {
        drop(writer);
        make_in_child(&path, &mut model, part);
        Bm25Index::open(&path).expect("a sound index after a kill").verify().expect("sound files");
        index.reload().expect("a sound index after a kill");
        check_reader(&index, &model);
        writer = reopened(&path);
    }
    for operation in last {
        writer = make(writer, &path, &mut model, operation);
        assert_eq!(writer.len(), model.pending.len() as u64, "after {operation:?}");
        index.reload().unwrap_or_else(|error| panic!("after {operation:?}: {error}"));
        check_reader(&index, &model);
    }
    writer.commit().expect("a commit");
    model.apply(&Operation::Commit);
    writer.merge().expect("a merge");
    writer.close().expect("merges that end");
    index.reload().expect("a sound index");
    index.verify().expect("sound files");
    check_reader(&index, &model);
    assert_eq!(index.searcher().statistics(), exact_statistics(&model));
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn any_sequence_of_operations_leaves_what_a_list_would_hold(
        operations in prop::collection::vec(operation(), 1..16),
    ) {
        check_sequence(&operations);
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn writers_that_are_killed_between_operations_leave_their_last_commits(
        operations in prop::collection::vec(prop_oneof![8 => operation(), 1 => Just(Operation::Kill)], 8..30),
    ) {
        check_sequence(&operations);
    }
}

#[test]
fn a_deletion_or_an_update_that_a_writer_begins_with_is_not_merged_before_it_is_committed() {
    for first in [Operation::Delete(0), Operation::Update(0)] {
        let operations = [Operation::Commits(2), Operation::Close, first.clone(), Operation::Merge];
        check_sequence(&operations);
        let operations =
            [Operation::Commits(2), Operation::Delete(1), Operation::Rollback, first, Operation::Merge];
        check_sequence(&operations);
    }
}

#[test]
fn a_merge_in_the_background_keeps_what_is_deleted_but_not_committed() {
    let folder = temporary_folder();
    let path = folder.path();
    let mut writer = IndexWriter::create(path, Analyzer::WHITESPACE, OPTIONS).expect("a new index");
    writer.merge_in_background(false);
    for number in 0..9 {
        writer.add(&format!("a{number}"), None, "stone bridge").expect("a new id");
        writer.commit().expect("a commit");
    }
    writer.close().expect("no merges");
    let mut writer = reopened(path);
    writer.delete(&["a0"]).expect("a deletion");
    // More passages than fit in the writer's memory: it writes segments, then merges the nine old ones.
    for number in 0..60_000 {
        let words = format!("w{} w{} w{} filler{number}", number % 7, number % 1_013, number % 10_007);
        writer.add(&format!("b{number}"), None, &words).expect("a new id");
    }
    writer.close().expect("merges that end");
    let index = Bm25Index::open(path).expect("a sound index");
    assert_eq!((index.len(), found(&index, "bridge").len()), (9, 9));
    assert_eq!(reopened(path).len(), 9);
}
