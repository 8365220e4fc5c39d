//! Thread pools of a wanted size, kept for the next call.
//!
//! Every call that works on several threads [takes](install) a rayon pool of its size for itself and gives it back, so a
//! call never waits for the work of another, and creating threads is paid for once. Pools that are not in use are kept,
//! [up to a few](MAX_IDLE_POOLS).
//!
//! ```
//! use rayon::prelude::*;
//!
//! let sum: u32 = threads::install(2, || (0..1000u32).into_par_iter().sum())?;
//! assert_eq!(sum, 499_500);
//! # Ok::<(), threads::Error>(())
//! ```

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Maximum number of threads of a pool. Larger numbers are reduced to this.
pub const MAX_THREADS: usize = 256;

/// Maximum number of pools that are kept while nobody uses them. Beyond that, the one unused for longest ends its threads.
pub const MAX_IDLE_POOLS: usize = 4;

/// The start of the names of all threads. `panics` recognizes them by it.
const NAME: &str = "passagekit-pool";

/// The system could not create threads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("threads: expected {expected} threads, got {got}")]
pub struct Error {
    /// Number of threads that were needed.
    pub expected: usize,
    /// The system's error message.
    pub got: String,
}

/// The number of threads that a requested number means: 0 is one per CPU, and there are at most [`MAX_THREADS`].
#[must_use]
pub fn resolve(threads: usize) -> usize {
    let threads = if threads == 0 { available_parallelism().map_or(1, usize::from) } else { threads };
    threads.min(MAX_THREADS)
}

/// Runs `work` in a pool of `threads` threads ([0 is one per CPU](resolve)), which rayon's parallel iterators then use.
///
/// # Errors
///
/// [`Error`] if the system cannot create the threads.
pub fn install<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let lease = Lease::new(resolve(threads))?;
    Ok(lease.pool().install(work))
}

/// As [`install`], but for one thread it runs `work` on the caller's thread, which saves waking another one. `work` must
/// then not use rayon, whose global pool has all CPUs.
///
/// # Errors
///
/// As [`install`].
pub fn install_unless_single<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    if resolve(threads) == 1 { Ok(work()) } else { install(threads, work) }
}

/// Pools that nobody uses; the one used last is at the end.
static IDLE: Mutex<Vec<ThreadPool>> = Mutex::new(Vec::new());

fn idle() -> MutexGuard<'static, Vec<ThreadPool>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A pool in use. Dropping it, also when work panics, makes the pool idle.
struct Lease {
    /// `None` only while it is dropped.
    pool: Option<ThreadPool>,
}

impl Lease {
    fn new(threads: usize) -> Result<Self, Error> {
        let mut idle = idle();
        if let Some(at) = idle.iter().rposition(|pool| pool.current_num_threads() == threads) {
            return Ok(Self { pool: Some(idle.remove(at)) });
        }
        drop(idle);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|at| format!("{NAME}-{at}"))
            .build()
            .map_err(|error| Error { expected: threads, got: error.to_string() })?;
        Ok(Self { pool: Some(pool) })
    }

    fn pool(&self) -> &ThreadPool {
        self.pool.as_ref().expect("it is there until the lease is dropped")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut idle = idle();
        idle.extend(self.pool.take());
        let surplus = idle.len().saturating_sub(MAX_IDLE_POOLS);
        let surplus: Vec<ThreadPool> = idle.drain(..surplus).collect();
        // Threads end after the lock is released.
        drop(idle);
        drop(surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::thread;

    fn thread_name() -> String {
        thread::current().name().unwrap_or_default().to_owned()
    }

    #[test]
    fn work_has_as_many_threads_as_it_asked_for() {
        for threads in [1, 2, 5] {
            let found = install(threads, || (rayon::current_num_threads(), thread_name())).expect("threads");
            assert_eq!(found.0, threads);
            assert!(found.1.starts_with("passagekit-pool-"), "{}", found.1);
        }
        assert_eq!(install(0, rayon::current_num_threads), Ok(resolve(0)));
        assert_eq!(resolve(usize::MAX), MAX_THREADS);
    }

    #[test]
    fn one_thread_can_be_that_of_the_caller() {
        let caller = thread::current().id();
        assert_eq!(install_unless_single(1, || thread::current().id()), Ok(caller));
        assert_ne!(install(1, || thread::current().id()), Ok(caller));
        assert_ne!(install_unless_single(2, || thread::current().id()), Ok(caller));
    }

    #[test]
    fn calls_at_the_same_time_do_not_wait_for_each_other() {
        // Both calls need the other to make progress: with one shared thread they would wait forever.
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            let wait = || install(1, || barrier.wait().is_leader()).expect("a thread");
            let other = scope.spawn(wait);
            assert_ne!(wait(), other.join().expect("no panic"));
        });
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_lives() {
        for _ in 0..3 {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                install(3, || (0..8).into_par_iter().for_each(|at| assert!(at < 4, "too large")))
            }));
            assert!(panicked.is_err());
            assert_eq!(install(3, || (0..8).into_par_iter().sum::<u32>()), Ok(28));
        }
    }

    #[test]
    fn few_idle_pools_are_kept() {
        for threads in 1..20 {
            install(threads, || ()).expect("threads");
        }
        assert!(idle().len() <= MAX_IDLE_POOLS);
    }
}
