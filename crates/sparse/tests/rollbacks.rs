//! Rollbacks at random moments of the merges that run in the background.

use std::time::Duration;

use control::Control;
use numerics::SplitMix64;
use sparse::{Analyzer, Bm25, Bm25Index, IndexWriter, OpenOptions, WriterOptions};

const OPTIONS: WriterOptions = WriterOptions { overwrite: false, threads: 1, memory: 15_000_000 };

/// Number of rollbacks: 40, or 4,000 with `PASSAGEKIT_LONG=1`.
fn rounds() -> u64 {
    if std::env::var_os("PASSAGEKIT_LONG").is_some() { 4000 } else { 40 }
}

/// Every commit of a new passage adds a segment, so a group of them is merged every few commits. A rollback finds such
/// a merge just begun, nearly finished, or at any point between.
#[test]
fn a_rollback_during_a_merge_neither_removes_nor_replaces_files_of_the_last_commit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = IndexWriter::create(folder.path(), Analyzer::WHITESPACE, OPTIONS).expect("a new index");
    let mut random = SplitMix64::new(7);
    let mut expected = Vec::new();
    for round in 0..rounds() {
        for commit in 0..1 + random.below(6) {
            let id = format!("p{round}-{commit}");
            writer.add(&id, None, "committed").expect("a new id");
            writer.commit().expect("a commit");
            expected.push(id);
        }
        let removed = expected.swap_remove(random.below(expected.len() as u64) as usize);
        writer.delete(&[&removed]).expect("a deletion");
        writer.commit().expect("a commit");
        writer.add("undone", None, "committed").expect("an id that was never committed");
        std::thread::sleep(Duration::from_micros(random.below(4000)));
        writer.rollback().unwrap_or_else(|error| panic!("round {round}: {error:?}"));
        let options = OpenOptions { verify: true, ..OpenOptions::default() };
        let index = Bm25Index::open_with(folder.path(), None, options)
            .unwrap_or_else(|error| panic!("round {round}: {error:?}"));
        let hits = index.searcher().search("committed", expected.len() + 1, Bm25::default(), &Control::new());
        let mut found = index.searcher().ids(&hits.expect("hits")).expect("ids");
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "round {round}");
    }
}
