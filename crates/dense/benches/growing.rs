//! Times the growing index on clustered vectors of dimension 384, on one thread: searches of a graph of 50,000 rows
//! with different numbers of pending rows, appending rows, and inserting pending rows into the graph. Pending rows are
//! those that are not in the graph yet; each search scans them.
//!
//! The results show how much time pending rows add to a search, and how many of them can be inserted in a time slice of
//! a millisecond.
//!
//! ```sh
//! cargo bench -p dense --bench growing
//! ```
//!
//! The graph takes half a minute to build, on all CPUs.
#![allow(missing_docs, reason = "a bench")]

#[path = "support/clustered.rs"]
mod support;

use std::path::PathBuf;
use std::sync::LazyLock;

use control::Control;
use dense::{GrowingIndex, HnswOptions, OpenOptions, RowSet, Similarity};
use divan::Bencher;
use divan::counter::ItemsCount;
use support::clustered;

const GRAPH_ROWS: usize = 50_000;
const MORE_ROWS: usize = 20_000;
const DIM: usize = 384;
const QUERIES: usize = 1000;

/// The file of an index whose rows are all in the graph, more rows to append, and queries.
struct Fixture {
    /// The folder of the file; it is deleted when this guard is dropped.
    _folder: tempfile::TempDir,
    path: PathBuf,
    more: Vec<f32>,
    queries: Vec<f32>,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let mut vectors = clustered(GRAPH_ROWS + MORE_ROWS + QUERIES, DIM, 2000);
    let queries = vectors.split_off((GRAPH_ROWS + MORE_ROWS) * DIM);
    let more = vectors.split_off(GRAPH_ROWS * DIM);
    let mut index = GrowingIndex::new(DIM, Similarity::Dot, HnswOptions::default()).expect("valid options");
    index.append(&vectors).expect("valid vectors");
    index.insert_pending(GRAPH_ROWS, 0, &Control::new()).expect("not canceled");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    index.save(&path, &serde_json::Value::Null).expect("writable");
    Fixture { _folder: folder, path, more, queries }
});

/// Returns the index of the fixture in memory, with this number of pending rows and space for at least 20,000 more.
fn with_pending(count: usize) -> GrowingIndex {
    let opened = GrowingIndex::open_with(&FIXTURE.path, OpenOptions { in_memory: true, verify: false });
    let (mut index, _) = opened.expect("a valid file");
    index.reserve(MORE_ROWS + 20_000);
    index.append(&FIXTURE.more[..count * DIM]).expect("valid vectors");
    index
}

#[divan::bench(args = [0, 1, 100, 250, 500, 5000, 20_000])]
fn search_with_pending(bencher: Bencher<'_, '_>, count: usize) {
    search(bencher, &with_pending(count));
}

/// One in a hundred rows is deleted.
#[divan::bench(args = [0, 500])]
fn search_with_deleted_and_pending(bencher: Bencher<'_, '_>, count: usize) {
    let mut index = with_pending(count);
    index.set_deleted((0..index.len() as u32).step_by(100).collect::<RowSet>());
    search(bencher, &index);
}

/// Times searches of one query at a time, for the best 10 rows with `ef` = 64.
fn search(bencher: Bencher<'_, '_>, index: &GrowingIndex) {
    let mut next = FIXTURE.queries.chunks(DIM).cycle();
    bencher
        .with_inputs(|| next.next().expect("a cycle never ends"))
        .input_counter(|_| ItemsCount::new(1usize))
        .bench_local_values(|query| index.search(query, 10, 64, None, &Control::new()).expect("valid"));
}

#[divan::bench(args = [1, 100])]
fn append(bencher: Bencher<'_, '_>, rows: usize) {
    let mut index = with_pending(0);
    let vectors = &FIXTURE.more[..rows * DIM];
    bencher.counter(ItemsCount::new(rows)).bench_local(|| index.append(vectors).expect("valid vectors"));
}

#[divan::bench(args = [1, 10], sample_count = 100, sample_size = 1)]
fn insert_pending(bencher: Bencher<'_, '_>, rows: usize) {
    let mut index = with_pending(MORE_ROWS);
    bencher
        .counter(ItemsCount::new(rows))
        .bench_local(|| index.insert_pending(rows, 1, &Control::new()).expect("not canceled"));
}

fn main() {
    divan::main();
}
