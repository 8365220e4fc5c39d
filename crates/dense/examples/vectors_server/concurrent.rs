//! Queries answered by several threads, each one query at a time.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use ranking::Hit;

use crate::Outcome;

/// Returns the hits and the nanoseconds of each query. A thread takes the next query as soon as it has answered one.
///
/// # Errors
///
/// The error of the first thread whose search failed.
pub fn search_concurrently(
    queries: &[&[f32]],
    threads: usize,
    search: impl Fn(&[f32]) -> Outcome<Vec<Hit>> + Sync,
) -> Outcome<(Vec<Vec<Hit>>, Vec<u64>)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        for at in
            iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < queries.len()))
        {
            let began = Instant::now();
            let hits = search(queries[at]).map_err(|error| error.to_string())?;
            done.push((at, hits, began.elapsed().as_nanos() as u64));
        }
        Ok::<_, String>(done)
    };
    let mut done = Vec::with_capacity(queries.len());
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in running {
            done.extend(thread.join().map_err(|_| "a thread panicked")??);
        }
        Outcome::Ok(())
    })?;
    done.sort_unstable_by_key(|(at, ..)| *at);
    Ok(done.into_iter().map(|(_, hits, nanos)| (hits, nanos)).unzip())
}
