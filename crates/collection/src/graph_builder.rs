//! Inserts vectors into the graph in the background, on a thread that exists only while rows are pending. A row is the
//! vector of a passage; it is pending until it is in the graph. [`GraphBuilder`] starts, pauses and stops the thread.
//!
//! Inserting a row into the graph takes more CPU time than adding and committing its document. So the thread waits
//! while documents are changed or committed, and searches scan the pending rows instead. If more than
//! [`MAX_WAITING_ROWS`] rows are pending, the thread does not wait, because scanning them would make searches slow.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use control::Control;
use serving::{FairRwLock, WriteSlices};

use crate::Error;
use crate::view::View;

/// Number of rows in the first slice. A slice is the rows that are inserted under one write lock. The sizes of later
/// slices adapt to the time that earlier slices take.
const FIRST_SLICE_ROWS: usize = 4;

/// If more rows than this are pending, the thread does not wait for changes. With AVX-512, scanning the quantized codes
/// of this number of rows with 384 dimensions takes about 0.15 ms per search.
const MAX_WAITING_ROWS: usize = 4096;

/// The thread continues only after no change has run for this long, because another change may follow shortly.
const QUIET_PERIOD: Duration = Duration::from_millis(10);

/// How long the thread sleeps between two checks whether it may continue.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Starts, pauses and stops the thread.
#[derive(Debug, Default)]
pub(crate) struct GraphBuilder {
    is_running: Arc<AtomicBool>,
    /// Canceled when the collection is closed.
    control: Arc<Control>,
    /// While this is set, a running thread ends and none starts.
    is_paused: Arc<AtomicBool>,
    changes: Arc<Changes>,
}

/// The running changes and commits, for which the thread waits.
#[derive(Debug, Default)]
struct Changes(Mutex<ChangesState>);

#[derive(Debug, Default)]
struct ChangesState {
    /// The number of changes and commits that are running.
    running: usize,
    /// When the last change or commit ended.
    last_end: Option<Instant>,
}

impl Changes {
    /// Returns true if no change or commit has run for [`QUIET_PERIOD`].
    fn is_quiet(&self) -> bool {
        let state = self.0.lock();
        state.running == 0 && state.last_end.is_none_or(|end| end.elapsed() >= QUIET_PERIOD)
    }
}

/// A running change or commit. It ends when this guard is dropped.
pub(crate) struct Change<'a>(&'a Changes);

impl Drop for Change<'_> {
    fn drop(&mut self) {
        let mut state = self.0.0.lock();
        state.running -= 1;
        state.last_end = Some(Instant::now());
    }
}

impl GraphBuilder {
    /// Registers a change or a commit. The thread waits until the returned guard is dropped.
    pub fn change(&self) -> Change<'_> {
        self.changes.0.lock().running += 1;
        Change(&self.changes)
    }

    /// Starts the thread, unless it is already running or no row is pending. Must not overlap with
    /// [`paused`](Self::paused).
    pub fn start(&self, view: &Arc<FairRwLock<View>>) -> Result<(), Error> {
        let is_stopped = self.control.is_canceled() || self.is_paused.load(Ordering::Acquire);
        if is_stopped || pending(view)? == 0 || self.is_running.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let (view, is_running) = (Arc::clone(view), Arc::clone(&self.is_running));
        let (control, is_paused) = (Arc::clone(&self.control), Arc::clone(&self.is_paused));
        let changes = Arc::clone(&self.changes);
        let started = thread::Builder::new().name("passagekit-graph".to_owned()).spawn(move || {
            loop {
                // A failed insertion leaves its rows pending. They are still searched, and the next commit tries again.
                let may_continue = || wait_for_changes(&changes, &view, &control, &is_paused);
                let failed = insert_pending(&view, 1, &control, may_continue).is_err();
                is_running.store(false, Ordering::SeqCst);
                // Rows may have been appended between the last insertion and the line above.
                let is_done = failed || control.is_canceled() || pending(&view).unwrap_or(0) == 0;
                if is_done || is_running.swap(true, Ordering::SeqCst) {
                    return;
                }
                // `paused` sets its flag and then waits until no thread is running. All of these operations are
                // sequentially consistent: either `paused` sees that this thread is running, or this thread sees the
                // flag.
                if is_paused.load(Ordering::SeqCst) {
                    is_running.store(false, Ordering::SeqCst);
                    return;
                }
            }
        });
        if let Err(error) = started {
            self.is_running.store(false, Ordering::SeqCst);
            return Err(Error::Thread { message: error.to_string() });
        }
        Ok(())
    }

    /// Ends the thread within a few milliseconds. It cannot be started again.
    pub fn stop(&self) {
        self.control.cancel();
    }

    /// Calls `work` while the thread is not running. `work` may read the view for minutes. A running thread would wait
    /// for the write lock all this time, and searches would wait behind the thread.
    pub fn paused<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Ends the pause, even if `work` panics.
        struct Pause<'a>(&'a AtomicBool);
        impl Drop for Pause<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Release);
            }
        }
        self.is_paused.store(true, Ordering::SeqCst);
        let _pause = Pause(&self.is_paused);
        while self.is_running.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        work()
    }
}

impl Drop for GraphBuilder {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Waits until no change has run for [`QUIET_PERIOD`], or until more than [`MAX_WAITING_ROWS`] rows are pending.
/// Returns false if the thread must end.
fn wait_for_changes(
    changes: &Changes,
    view: &FairRwLock<View>,
    control: &Control,
    is_paused: &AtomicBool,
) -> bool {
    loop {
        if is_paused.load(Ordering::Acquire) || control.is_canceled() {
            return false;
        }
        // Commits append rows meanwhile, so the number of pending rows is read each time.
        if changes.is_quiet() || pending(view).is_ok_and(|pending| pending > MAX_WAITING_ROWS) {
            return true;
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Returns the number of rows that are not in the graph yet.
fn pending(view: &FairRwLock<View>) -> Result<usize, Error> {
    Ok(view.read(|view| view.vectors.as_ref().map_or(0, |vectors| vectors.index.pending()))?)
}

/// Inserts the rows that are not in the graph yet, in slices. Waiting searches run after each slice. `may_continue` is
/// called before each slice; if it returns false, the rest stays pending.
pub(crate) fn insert_pending(
    view: &FairRwLock<View>,
    threads: usize,
    control: &Control,
    may_continue: impl Fn() -> bool,
) -> Result<(), Error> {
    let mut slices = WriteSlices::new(FIRST_SLICE_ROWS);
    let mut reads = view.read_count();
    while may_continue() {
        control.check()?;
        let inserted = view.write(|view| {
            slices.start();
            let Some(vectors) = &mut view.vectors else { return Ok(0) };
            vectors.index.insert_pending(slices.row_count(), threads, control)
        })??;
        let reads_after = view.read_count();
        slices.finish(reads_after > reads);
        reads = reads_after;
        if inserted == 0 {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Collection, CreateOptions, NewDocument, NewPassage, NewVector, OpenOptions, Put, VectorOptions,
    };

    /// Adds and commits `count` documents, each with one vector. Their ids begin with `prefix`.
    fn add(collection: &Collection, prefix: &str, count: usize) -> Result<(), Error> {
        let ids: Vec<String> = (0..count).map(|i| format!("{prefix}{i}")).collect();
        let passages = [NewPassage { title: None, text: "text", vector: NewVector::Given(&[1.0, 2.0]) }];
        let fields = sparse::PassageFields::new();
        let documents = ids.iter().map(|id| NewDocument { id, passages: &passages, fields: &fields });
        collection.put(Put::Add, &documents.collect::<Vec<_>>())?;
        collection.commit().map(drop)
    }

    /// Waits until the number of pending rows is as expected. Fails after a minute.
    fn wait_until_pending(collection: &Collection, is_expected: impl Fn(usize) -> bool) -> Result<(), Error> {
        let started = Instant::now();
        while !is_expected(collection.stats()?.pending) {
            assert!(started.elapsed() < Duration::from_secs(60), "{} pending", collection.stats()?.pending);
            thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    #[test]
    fn the_thread_waits_for_changes_unless_too_many_rows_are_pending() -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let graph = dense::HnswOptions { m: 2, ef_construction: 2, ..dense::HnswOptions::default() };
        let vectors = VectorOptions { dim: 2, similarity: dense::Similarity::Dot, graph };
        let create = CreateOptions {
            analyzer: sparse::Analyzer::SIMPLE,
            vectors: Some(vectors),
            metadata: serde_json::Value::Null,
        };
        let collection = Collection::create(&folder.path().join("c"), &create, OpenOptions::default())?;
        let change = collection.graph_builder.change();
        add(&collection, "few", 10)?;
        thread::sleep(10 * QUIET_PERIOD);
        assert_eq!(collection.stats()?.pending, 10);
        add(&collection, "many", MAX_WAITING_ROWS)?;
        wait_until_pending(&collection, |pending| pending <= MAX_WAITING_ROWS)?;
        thread::sleep(10 * QUIET_PERIOD);
        assert!(collection.stats()?.pending > 0);
        drop(change);
        wait_until_pending(&collection, |pending| pending == 0)
    }
}
