use rayon::ThreadPoolBuilder;

use crate::Error;

/// Runs `work` where rayon's parallel iterators use `threads` threads; 0 is one for each CPU.
pub(crate) fn run<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|at| format!("vocabulary-{at}"))
        .build()
        .map_err(|error| Error::Threads { expected: threads, got: error.to_string() })?;
    Ok(pool.install(work))
}
