//! Inserts vectors into the graph in the background, on a thread that exists only while rows are pending.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use control::Control;
use serving::{FairRwLock, WriteSlices};

use crate::Error;
use crate::view::View;

/// Number of rows of the first slice. The sizes of later slices adapt to the time that earlier ones take.
const FIRST_SLICE: usize = 4;

/// Starts and stops the thread.
#[derive(Debug, Default)]
pub(crate) struct GraphBuilder {
    is_running: Arc<AtomicBool>,
    /// Cancelled when the collection is closed.
    control: Arc<Control>,
    /// While this is set, a running thread ends and none starts.
    is_paused: Arc<AtomicBool>,
}

impl GraphBuilder {
    /// Starts the thread, unless it is already running or no row is pending. Must not overlap with
    /// [`paused`](Self::paused).
    pub fn start(&self, view: &Arc<FairRwLock<View>>) -> Result<(), Error> {
        let is_stopped = self.control.is_cancelled() || self.is_paused.load(Ordering::Acquire);
        if is_stopped || !is_needed(view)? || self.is_running.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let (view, is_running) = (Arc::clone(view), Arc::clone(&self.is_running));
        let (control, is_paused) = (Arc::clone(&self.control), Arc::clone(&self.is_paused));
        let started = thread::Builder::new().name("passagekit-graph".to_owned()).spawn(move || {
            loop {
                // A failed insertion leaves its rows pending. They are still searched, and the next commit tries again.
                let failed = insert_pending(&view, 1, &control, &is_paused).is_err();
                is_running.store(false, Ordering::SeqCst);
                // Rows may have been appended between the last insertion and the line above.
                let is_done = failed || control.is_cancelled() || !is_needed(&view).unwrap_or(false);
                if is_done || is_running.swap(true, Ordering::SeqCst) {
                    return;
                }
                // `paused` sets its flag and then waits until no thread is running. In the single order of these
                // operations, either it sees that this thread is running, or this thread sees the flag.
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

    /// Calls `work` while the thread is not running. `work` reads the view for minutes; meanwhile the thread would wait
    /// for the write lock, and searches would wait behind it.
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

fn is_needed(view: &FairRwLock<View>) -> Result<bool, Error> {
    Ok(view.read(|view| view.vectors.as_ref().is_some_and(|vectors| vectors.index.pending() > 0))?)
}

/// Inserts the rows that are not in the graph yet: all of them, or only some if `is_stopped` is set meanwhile. Waiting
/// searches run after each slice.
pub(crate) fn insert_pending(
    view: &FairRwLock<View>,
    threads: usize,
    control: &Control,
    is_stopped: &AtomicBool,
) -> Result<(), Error> {
    let mut slices = WriteSlices::new(FIRST_SLICE);
    let mut reads = view.read_count();
    loop {
        control.check()?;
        let inserted = view.write(|view| {
            slices.start();
            let Some(vectors) = &mut view.vectors else { return Ok(0) };
            vectors.index.insert_pending(slices.row_count(), threads, control)
        })??;
        let reads_after = view.read_count();
        slices.finish(reads_after > reads);
        reads = reads_after;
        if inserted == 0 || is_stopped.load(Ordering::Acquire) {
            return Ok(());
        }
    }
}
