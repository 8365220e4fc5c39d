//! Answers queries on several threads, each of which answers one query at a time.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use ranking::Hit;

use crate::Outcome;

/// Returns the hits of each query and its latency in nanoseconds. A thread takes the next query as soon as it has
/// answered one.
///
/// # Errors
///
/// If a search fails or a thread panics. The thread that failed takes no more queries; the other threads answer the
/// remaining queries before this function returns.
pub fn search_concurrently(
    queries: &[&[f32]],
    threads: usize,
    search: impl Fn(&[f32]) -> Outcome<Vec<Hit>> + Sync,
) -> Outcome<(Vec<Vec<Hit>>, Vec<u64>)> {
    let next = AtomicUsize::new(0);
    let answer_queries = || {
        let mut answers = Vec::new();
        for at in
            iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < queries.len()))
        {
            let began = Instant::now();
            // The thread returns a string, because a boxed error need not be `Send`.
            let hits = search(queries[at]).map_err(|error| error.to_string())?;
            answers.push((at, hits, began.elapsed().as_nanos() as u64));
        }
        Ok::<_, String>(answers)
    };
    // The answers of all threads; each has the position of its query, by which they are sorted below.
    let mut all = Vec::with_capacity(queries.len());
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(answer_queries)).collect();
        for thread in running {
            all.extend(thread.join().map_err(|_| "a thread panicked")??);
        }
        Outcome::Ok(())
    })?;
    all.sort_unstable_by_key(|(at, ..)| *at);
    Ok(all.into_iter().map(|(_, hits, nanos)| (hits, nanos)).unzip())
}
