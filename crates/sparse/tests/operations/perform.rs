//! Performs operations on an index, in this process or in one that is killed, and compares a reader with the model.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use control::Control;
use sparse::{Analyzer, Bm25, Bm25Index, Error, IndexWriter, Statistics, WriterOptions};

use crate::model::{Model, Passage};
use crate::operation::{IDS, Operation};

pub const OPTIONS: WriterOptions = WriterOptions { overwrite: false, threads: 1, memory: 15_000_000 };
const FOLDER: &str = "PASSAGEKIT_OPERATIONS_FOLDER";
const OPERATIONS: &str = "PASSAGEKIT_OPERATIONS";

/// Returns the text of a passage; its length depends on the id.
fn text((id, change): Passage) -> String {
    format!("common change{change}{}", " word".repeat(usize::from(id)))
}

fn name(id: u8) -> String {
    format!("p{id}")
}

pub fn reopen(path: &Path) -> IndexWriter {
    IndexWriter::open(path, OPTIONS).expect("an intact index")
}

/// Performs one operation, checks its result against the model, and applies it to the model. Returns the writer, which
/// may be another one.
pub fn perform(
    mut writer: IndexWriter,
    path: &Path,
    model: &mut Model,
    operation: &Operation,
) -> IndexWriter {
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
                // Numbered as in `Model::apply`: the operation itself, then an update and a commit per step.
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
            writer = reopen(path);
        }
        Operation::Drop => {
            drop(writer);
            writer = reopen(path);
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

/// Returns the ids of the hits.
pub fn found(index: &Bm25Index, query: &str) -> Vec<String> {
    let searcher = index.searcher();
    let hits = searcher.search(query, 1_000, Bm25::default(), &Control::new()).expect("hits");
    searcher.ids(&hits).expect("ids")
}

/// Checks that the index has the passages of the last commit, each with its own text, and nothing else.
pub fn check_reader(index: &Bm25Index, model: &Model) {
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

/// Returns the statistics that an index without deleted passages must have.
pub fn exact_statistics(model: &Model) -> Statistics {
    // See `text`: two terms, and `id` times "word".
    let tokens = model.committed.iter().map(|&(id, _)| 2 + u64::from(id)).sum();
    Statistics { passages: model.committed.len() as u64, tokens }
}

/// Performs operations in a child process that is killed after the last one, and applies them to the model.
pub fn perform_in_child(path: &Path, model: &mut Model, operations: &[Operation]) {
    let mut codes = String::new();
    for operation in operations {
        write!(codes, "{} ", operation.encode()).expect("a string takes all");
    }
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["perform::child_that_is_killed", "--exact", "--ignored", "--nocapture"]);
    let ended = child.env(FOLDER, path).env(OPERATIONS, format!("{} {codes}", model.changes)).output();
    let ended = ended.expect("a child process");
    assert!(ended.status.code().is_none(), "{}", String::from_utf8_lossy(&ended.stderr));
    operations.iter().for_each(|operation| model.apply(operation));
    model.apply(&Operation::Kill);
}

#[test]
#[ignore = "run by another test in a child process"]
fn child_that_is_killed() {
    let Some(path) = std::env::var_os(FOLDER) else { return };
    let arguments = std::env::var(OPERATIONS).expect("operations");
    let mut codes = arguments.split_whitespace();
    let changes = codes.next().and_then(|first| first.parse().ok()).expect("a number");
    let index = Bm25Index::open(path.as_ref()).expect("an intact index");
    let ids = found(&index, "common");
    // 0, because the child compares only ids with the model.
    let committed: Vec<Passage> = ids.iter().map(|id| (id[1..].parse().expect("a number"), 0)).collect();
    let mut model = Model { pending: committed.clone(), committed, overwriting: false, changes };
    let mut writer = reopen(path.as_ref());
    for code in codes {
        writer = perform(writer, path.as_ref(), &mut model, &Operation::decode(code));
    }
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
        .expect("a signal");
    drop(writer);
}
