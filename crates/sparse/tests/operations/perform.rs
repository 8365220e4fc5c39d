//! Performs operations on an index, in this process or in one that is killed, and compares a reader with the model.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use control::Control;
use sparse::{Analyzer, Bm25, Bm25Index, Error, IndexWriter, Statistics, WriterOptions};

use crate::model::{Model, Passage};
use crate::operation::{IDS, Operation};

pub const OPTIONS: WriterOptions = WriterOptions { overwrite: false, threads: 1, memory: 15_000_000 };
/// The environment variable that passes the folder of the index to a child process.
const FOLDER: &str = "PASSAGEKIT_OPERATIONS_FOLDER";
/// The environment variable that passes the number of operations so far and the next operations to a child process.
const OPERATIONS: &str = "PASSAGEKIT_OPERATIONS";

/// Returns the text of a passage: two terms, and `id` times "word". The second term has the number of the operation that
/// adds the passage.
fn text((id, operation): Passage) -> String {
    format!("common operation{operation}{}", " word".repeat(usize::from(id)))
}

/// Returns the id of a passage in the index, given its number in the model.
fn name(id: u8) -> String {
    format!("p{id}")
}

/// Opens a writer for an existing index.
pub fn reopen(path: &Path) -> IndexWriter {
    IndexWriter::open(path, OPTIONS).expect("an intact index")
}

/// Performs one operation, checks its result against the model, and applies it to the model. Returns the writer for the
/// next operation: a new one if the operation closed `writer`.
pub fn perform(
    mut writer: IndexWriter,
    path: &Path,
    model: &mut Model,
    operation: &Operation,
) -> IndexWriter {
    let (known, size) = (|id| model.has(id), model.pending.len() as u64);
    let number = model.operation_count + 1;
    match *operation {
        Operation::Add(id) => match writer.add(&name(id), None, &text((id, number))) {
            Ok(()) => assert!(!known(id)),
            Err(Error::DuplicateId { .. }) => assert!(known(id)),
            Err(error) => panic!("{error:?}"),
        },
        Operation::Update(id) => {
            let replaced = writer.update(&name(id), None, &text((id, number))).expect("an update");
            assert_eq!(replaced, known(id));
        }
        Operation::Delete(id) => {
            assert_eq!(writer.delete(&[name(id)]).expect("a deletion"), u64::from(known(id)));
        }
        Operation::Commit => writer.commit().expect("a commit"),
        Operation::Commits(count) => {
            for step in 0..count {
                // Numbered as in `Model::apply`: first this operation, then an update and a commit for each step.
                let passage = (step % IDS, number + 1 + 2 * u64::from(step));
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

/// Returns the ids of all hits.
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
    for &(id, operation) in &model.committed {
        assert_eq!(found(index, &format!("operation{operation}")), [name(id)]);
    }
}

/// Returns the statistics that an index without deleted passages must have.
pub fn exact_statistics(model: &Model) -> Statistics {
    // `text` has `2 + id` terms.
    let tokens = model.committed.iter().map(|&(id, _)| 2 + u64::from(id)).sum();
    Statistics { passages: model.committed.len() as u64, tokens }
}

/// Performs operations in a child process that is killed after the last one, and applies them to the model.
pub fn perform_in_child(path: &Path, model: &mut Model, operations: &[Operation]) {
    let mut codes = String::new();
    for operation in operations {
        write!(codes, "{} ", operation.encode()).expect("a string accepts any text");
    }
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["perform::child_that_is_killed", "--exact", "--ignored", "--nocapture"]);
    let arguments = format!("{} {codes}", model.operation_count);
    let ended = child.env(FOLDER, path).env(OPERATIONS, arguments).output().expect("a child process");
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
    let operation_count = codes.next().and_then(|first| first.parse().ok()).expect("a number");
    let index = Bm25Index::open(path.as_ref()).expect("an intact index");
    let ids = found(&index, "common");
    // The child compares only ids with the model, so 0 stands for the numbers of the operations.
    let committed: Vec<Passage> = ids.iter().map(|id| (id[1..].parse().expect("a number"), 0)).collect();
    let mut model = Model { pending: committed.clone(), committed, is_overwriting: false, operation_count };
    let mut writer = reopen(path.as_ref());
    for code in codes {
        writer = perform(writer, path.as_ref(), &mut model, &Operation::decode(code));
    }
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
        .expect("a signal");
    drop(writer);
}
