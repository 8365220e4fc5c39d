use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Error;

/// The most threads of a pool; more are taken as this many.
const MOST_THREADS: usize = 256;

/// How many threads to work with when `threads` are asked for: 0 is one for each CPU.
pub(crate) fn resolve(threads: usize) -> usize {
    let threads = if threads == 0 { available_parallelism().map_or(1, usize::from) } else { threads };
    threads.min(MOST_THREADS)
}

/// Runs `work` on a pool of `threads` threads (0: one for each CPU), which is kept for the next time. With one
/// thread nothing inside may start parallel work of its own, for it runs on the caller's thread.
pub(crate) fn run<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    static POOLS: Mutex<Option<HashMap<usize, Arc<ThreadPool>>>> = Mutex::new(None);
    let threads = resolve(threads);
    if threads == 1 {
        return Ok(work());
    }
    let pool = {
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        let pools = pools.get_or_insert_with(HashMap::new);
        match pools.get(&threads) {
            Some(pool) => Arc::clone(pool),
            None => {
                let pool = ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .thread_name(|at| format!("dense-{at}"))
                    .build()
                    .map_err(|error| Error::Threads { expected: threads, got: error.to_string() })?;
                Arc::clone(pools.entry(threads).or_insert(Arc::new(pool)))
            }
        }
    };
    Ok(pool.install(work))
}
