//! Runs a file of queries and measures them.

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
    pub folder: PathBuf,
    queries: PathBuf,
    k: usize,
    rounds: usize,
    batch: bool,
    /// Number of threads: of a batch, or of threads that search one query at a time each.
    threads: Option<usize>,
    hits: Option<PathBuf>,
}

pub fn run_queries<E: Engine>(engine: &E, request: &QueryRequest) -> Outcome<Value> {
    let (k, threads) = (request.k, request.threads.unwrap_or(1));
    let queries = fs::read_to_string(&request.queries)?;
    let queries: Vec<(&str, &str)> = queries.lines().map(split_id).collect();
    let texts: Vec<&str> = queries.iter().map(|(_, text)| *text).collect();
    let mut found = Vec::new();
    let mut measured = Vec::with_capacity(request.rounds);
    for _ in 0..request.rounds {
        found.clear();
        let mut each = Vec::new();
        let (began, cpu) = (Instant::now(), cpu_nanos(threads)?);
        if request.batch {
            found = engine.search_batch(&texts, k, threads)?;
        } else if threads == 1 {
            each.reserve(texts.len());
            for text in &texts {
                let began = Instant::now();
                found.push(engine.search(text, k)?);
                each.push(began.elapsed().as_nanos() as u64);
            }
        } else {
            (found, each) = search_concurrently(engine, &texts, k, threads)?;
        }
        let (cpu, wall) = (cpu_nanos(threads)? - cpu, began.elapsed().as_nanos() as u64);
        measured.push(json!({"wallNanos": wall, "cpuNanos": cpu, "queryNanos": each}));
    }
    if let Some(path) = &request.hits {
        let mut file = BufWriter::new(File::create(path)?);
        for ((query, _), found) in queries.iter().zip(&found) {
            for (id, score) in engine.named(found)? {
                writeln!(file, "{query}\t{id}\t{score}")?;
            }
        }
        file.flush()?;
    }
    Ok(json!({"rounds": measured}))
}

/// The hits and the latency, in nanoseconds, of each query. Each thread takes the next query when it has finished one.
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

/// CPU time in nanoseconds: of this thread, or of the process if several threads search.
fn cpu_nanos(threads: usize) -> Outcome<u64> {
    if threads > 1 {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        return Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64);
    }
    // Linux updates the number when a thread yields.
    thread::yield_now();
    let line = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(line.split(' ').next().unwrap_or_default().parse()?)
}
