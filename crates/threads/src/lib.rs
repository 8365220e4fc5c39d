//! Thread pools of a requested size, reused by later calls.
//!
//! [`install`] runs a function in a rayon pool that no other call uses at the same time, so a call never waits for the
//! work of another call. Afterwards the pool is kept for a later call, which then need not create threads. Up to
//! [`MAX_IDLE_POOLS`] unused pools are kept.
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

/// Maximum number of threads in a pool. Larger requests get this many.
pub const MAX_THREADS: usize = 256;

/// Maximum number of unused pools that are kept. If there are more, the least recently used pool is dropped, which ends
/// its threads.
pub const MAX_IDLE_POOLS: usize = 4;

/// Prefix of the names of all threads in pools, by which the crate `panics` recognizes them.
const NAME_PREFIX: &str = "passagekit-pool";

/// The system could not create threads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("threads: expected {expected} threads, got {got}")]
pub struct Error {
    /// Number of threads that were needed.
    pub expected: usize,
    /// The system's error message.
    pub got: String,
}

/// Returns the number of threads that a requested number stands for: 0 means one per CPU, and the result is at most
/// [`MAX_THREADS`].
#[must_use]
pub fn resolve(threads: usize) -> usize {
    let threads = if threads == 0 { available_parallelism().map_or(1, usize::from) } else { threads };
    threads.min(MAX_THREADS)
}

/// Runs `work` in a pool of `threads` threads ([0: one per CPU](resolve)), which rayon's parallel iterators in `work`
/// use.
///
/// # Errors
///
/// [`Error`] if the system cannot create the threads.
pub fn install<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let lease = Lease::new(resolve(threads))?;
    Ok(lease.pool().install(work))
}

/// Like [`install`], but if one thread is requested, runs `work` on the caller's thread, which saves waking another
/// thread. In this case, `work` must not use rayon: outside a pool, rayon uses its global pool, which has one thread
/// per CPU.
///
/// # Errors
///
/// Same as [`install`].
pub fn install_unless_single<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    if resolve(threads) == 1 { Ok(work()) } else { install(threads, work) }
}

/// Unused pools; the most recently used one is last.
static IDLE: Mutex<Vec<ThreadPool>> = Mutex::new(Vec::new());

fn idle() -> MutexGuard<'static, Vec<ThreadPool>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A pool in use. Dropping the lease, also when the work panics, makes the pool idle.
struct Lease {
    /// `None` only while the lease is being dropped.
    pool: Option<ThreadPool>,
}

impl Lease {
    /// Takes an unused pool with this number of threads, or creates one.
    fn new(threads: usize) -> Result<Self, Error> {
        let mut idle = idle();
        if let Some(at) = idle.iter().rposition(|pool| pool.current_num_threads() == threads) {
            return Ok(Self { pool: Some(idle.remove(at)) });
        }
        drop(idle);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("{NAME_PREFIX}-{index}"))
            .build()
            .map_err(|error| Error { expected: threads, got: error.to_string() })?;
        Ok(Self { pool: Some(pool) })
    }

    fn pool(&self) -> &ThreadPool {
        self.pool.as_ref().expect("a lease has a pool until it is dropped")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut idle = idle();
        idle.extend(self.pool.take());
        let surplus = idle.len().saturating_sub(MAX_IDLE_POOLS);
        let surplus: Vec<ThreadPool> = idle.drain(..surplus).collect();
        // Release the lock before the surplus pools end their threads.
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
    fn work_gets_the_requested_number_of_threads() {
        for threads in [1, 2, 5] {
            let (num_threads, name) =
                install(threads, || (rayon::current_num_threads(), thread_name())).expect("threads");
            assert_eq!(num_threads, threads);
            assert!(name.starts_with("passagekit-pool-"), "{name}");
        }
        assert_eq!(install(0, rayon::current_num_threads), Ok(resolve(0)));
        assert_eq!(resolve(usize::MAX), MAX_THREADS);
    }

    #[test]
    fn only_install_unless_single_runs_work_on_the_callers_thread() {
        let caller = thread::current().id();
        assert_eq!(install_unless_single(1, || thread::current().id()), Ok(caller));
        assert_ne!(install(1, || thread::current().id()), Ok(caller));
        assert_ne!(install_unless_single(2, || thread::current().id()), Ok(caller));
    }

    #[test]
    fn concurrent_calls_do_not_wait_for_each_other() {
        // Each call needs the other to make progress: on one shared thread, they would wait forever.
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            let wait = || install(1, || barrier.wait().is_leader()).expect("a thread");
            let other = scope.spawn(wait);
            assert_ne!(wait(), other.join().expect("no panic"));
        });
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_remains_usable() {
        for _ in 0..3 {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                install(3, || (0..8).into_par_iter().for_each(|value| assert!(value < 4, "too large")))
            }));
            assert!(panicked.is_err());
            assert_eq!(install(3, || (0..8).into_par_iter().sum::<u32>()), Ok(28));
        }
    }

    #[test]
    fn at_most_max_idle_pools_are_kept() {
        for threads in 1..20 {
            install(threads, || ()).expect("threads");
        }
        assert!(idle().len() <= MAX_IDLE_POOLS);
    }
}
