//! Prints progress to stderr during work that takes minutes.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use control::Control;

/// The time between two lines of progress.
const INTERVAL: Duration = Duration::from_secs(20);

/// Runs `work` and, every 20 seconds, prints how many of `count` rows are done. `work` counts them with
/// [`Control::advance`]. `what` is the name of the work in the printed lines.
pub fn run_with_progress<R>(what: &str, count: usize, work: impl FnOnce(&Control) -> R) -> R {
    let control = Control::new();
    let (end, ended) = channel::<()>();
    std::thread::scope(|scope| {
        let control = &control;
        scope.spawn(move || {
            let began = Instant::now();
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let (done, seconds) = (control.done(), began.elapsed().as_secs_f64());
                eprintln!(
                    "progress: {what}: {done} of {count} rows, {:.0} per second",
                    done as f64 / seconds
                );
            }
        });
        let result = work(control);
        // Disconnects the channel, which ends the thread.
        drop(end);
        result
    })
}
