//! Runs the queries of a file, measures wall-clock and CPU time, and writes the hits to a file.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::iter;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::{Engine, Outcome};
use crate::text_files::split_id;

#[derive(Deserialize)]
pub struct QueryRequest {
    /// The folder of the index.
    pub folder: PathBuf,
    /// A file of `id<TAB>query` lines.
    queries: PathBuf,
    /// Number of hits per query.
    k: usize,
    /// Number of times that all queries are run and measured.
    rounds: usize,
    /// True if all queries are searched in one call.
    batch: bool,
    /// Number of threads for the batch, or number of threads that each search one query at a time. 1 if missing.
    threads: Option<usize>,
    /// Where to write the hits of the last round.
    hits: Option<PathBuf>,
}

/// Runs the queries and returns the times of each round in nanoseconds.
pub fn run_queries<E: Engine>(engine: &E, request: &QueryRequest) -> Outcome<Value> {
    let (k, threads) = (request.k, request.threads.unwrap_or(1));
    let queries = fs::read_to_string(&request.queries)?;
    let queries: Vec<(&str, &str)> = queries.lines().map(split_id).collect();
    let texts: Vec<&str> = queries.iter().map(|(_, text)| *text).collect();
    let mut found = Vec::new();
    let mut measured = Vec::with_capacity(request.rounds);
    for _ in 0..request.rounds {
        found.clear();
        let mut latencies = Vec::new();
        let (began, cpu) = (Instant::now(), cpu_nanos(threads)?);
        if request.batch {
            found = engine.search_batch(&texts, k, threads)?;
        } else if threads == 1 {
            latencies.reserve(texts.len());
            for text in &texts {
                let began = Instant::now();
                found.push(engine.search(text, k)?);
                latencies.push(began.elapsed().as_nanos() as u64);
            }
        } else {
            (found, latencies) = search_concurrently(engine, &texts, k, threads)?;
        }
        let (cpu, wall) = (cpu_nanos(threads)? - cpu, began.elapsed().as_nanos() as u64);
        measured.push(json!({"wallNanos": wall, "cpuNanos": cpu, "queryNanos": latencies}));
    }
    if let Some(path) = &request.hits {
        let mut file = BufWriter::new(File::create(path)?);
        for ((query, _), found) in queries.iter().zip(&found) {
            for (id, score) in engine.with_ids(found)? {
                writeln!(file, "{query}\t{id}\t{score}")?;
            }
        }
        file.flush()?;
    }
    Ok(json!({"rounds": measured}))
}

/// Returns the hits of each query, and the latency of each query in nanoseconds. Each thread takes the next query when
/// it has finished one.
fn search_concurrently<E: Engine>(
    engine: &E,
    texts: &[&str],
    k: usize,
    threads: usize,
) -> Outcome<(Vec<E::Hits>, Vec<u64>)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        for at in iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < texts.len()))
        {
            let began = Instant::now();
            let hits = engine.search(texts[at], k).map_err(|error| error.to_string())?;
            done.push((at, hits, began.elapsed().as_nanos() as u64));
        }
        Ok::<_, String>(done)
    };
    let mut done = Vec::with_capacity(texts.len());
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

/// Returns the CPU time in nanoseconds that this thread has used or, if several threads search, that the process has
/// used.
fn cpu_nanos(threads: usize) -> Outcome<u64> {
    if threads > 1 {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        return Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64);
    }
    // Linux updates the number in this file when a thread yields.
    thread::yield_now();
    let line = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(line.split(' ').next().unwrap_or_default().parse()?)
}
