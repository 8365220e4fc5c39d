//! Builds and searches indexes, one request after another. `benches/qps/vectors/README.md` describes the requests and
//! replies; the fields of the structs here are the keys of these JSON objects.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Instant, UNIX_EPOCH};

use control::Control;
use dense::{
    Filter, FlatIndex, HnswIndex, HnswOptions, InnerProduct, Layout, OpenOptions, RowSet, Similarity, Storage,
};
use ranking::Hit;
use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::concurrent::search_concurrently;
use crate::progress::run_with_progress;
use crate::{Outcome, filter, matrix};

/// A request of the benchmark. The key `verb` selects the variant.
#[derive(Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
pub enum Request {
    Describe,
    Build(IndexSpec),
    Query(Query),
}

/// What identifies an index: its kind and options, and the rows that it is built from.
#[derive(Deserialize, Clone, PartialEq)]
pub struct IndexSpec {
    /// The file of rows.
    rows: PathBuf,
    /// The number of rows.
    count: usize,
    dim: usize,
    /// `dot` or `l2`.
    similarity: String,
    /// The folder that the index is saved to.
    folder: PathBuf,
    options: Options,
    /// The number of threads that build an index or answer queries. A batch is searched by all of them in one call;
    /// otherwise, each thread answers one query at a time. 1 by default.
    threads: Option<usize>,
}

/// The options of an entry of the benchmark's definition. The default of every missing HNSW option is that of
/// [`HnswOptions`].
#[derive(Deserialize, Clone, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Options {
    index: Kind,
    m: Option<usize>,
    ef_construction: Option<usize>,
    inner_product: Option<String>,
    layout: Option<String>,
    /// How a flat index stores its vectors: `f32` (the default), `f16` or `int8Rescored`.
    storage: Option<String>,
    /// The number of threads that build the index, if it differs from `threads` in the request.
    threads: Option<usize>,
    /// Whether an opened index is read into memory instead of mapped. True by default, because the other systems in the
    /// benchmark have their indexes in memory too.
    in_memory: Option<bool>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Flat,
    Hnsw,
    /// No index: each query reads all rows once and has no hits. No exact scan of f32 vectors can be faster than this.
    Bandwidth,
}

/// A request to search an index for all queries of a file.
#[derive(Deserialize)]
pub struct Query {
    #[serde(flatten)]
    spec: IndexSpec,
    /// The file of queries.
    queries: PathBuf,
    /// The number of queries.
    asked: usize,
    /// The number of hits to return per query.
    k: usize,
    /// The option `ef` of HNSW searches.
    effort: usize,
    /// Whether all queries are searched in one call.
    batch: bool,
    /// The file that says which rows may be hits (`filter.rs`).
    filter: Option<PathBuf>,
    /// The file to write the hits to.
    found: Option<PathBuf>,
}

/// An open index, with one variant per [`Kind`].
enum Index {
    Flat(Box<FlatIndex>),
    Hnsw(Box<HnswIndex>),
    /// The rows, for [`Kind::Bandwidth`].
    Rows(Vec<f32>),
}

/// The server's state: the index, the queries and the filter that it read most recently, so that the next request can
/// reuse them. Each is stored with the specification or path that it was read from.
#[derive(Default)]
pub struct Server {
    opened: Option<(IndexSpec, Index)>,
    queries: Option<(PathBuf, Vec<f32>)>,
    filter: Option<(PathBuf, RowSet)>,
}

impl Server {
    /// Executes a request and returns the reply.
    pub fn answer(&mut self, request: Request) -> Outcome<Value> {
        match request {
            Request::Describe => {
                Ok(json!({"version": version(), "filters": true, "threads": ["build", "query", "batch"]}))
            }
            Request::Build(spec) => build(&spec),
            Request::Query(query) => self.query(&query),
        }
    }

    fn query(&mut self, query: &Query) -> Outcome<Value> {
        let Query { spec, asked, k, effort, .. } = query;
        if self.opened.as_ref().is_none_or(|(opened, _)| opened != spec) {
            // Closes the previous index first, so that two are never in memory at once.
            self.opened = None;
            self.opened = Some((spec.clone(), open(spec)?));
        }
        let size = asked * spec.dim;
        if self.queries.as_ref().is_none_or(|(path, values)| *path != query.queries || values.len() != size) {
            let values = matrix::read(&query.queries, *asked, spec.dim)?;
            self.queries = Some((query.queries.clone(), values));
        }
        if self.filter.as_ref().map(|(path, _)| path) != query.filter.as_ref() {
            let read = |path: &PathBuf| -> Outcome<(PathBuf, RowSet)> {
                Ok((path.clone(), filter::read(path, spec.count)?))
            };
            self.filter = query.filter.as_ref().map(read).transpose()?;
        }
        let (_, index) = self.opened.as_ref().expect("opened above");
        let (_, queries) = self.queries.as_ref().expect("read above");
        let allowed = self.filter.as_ref().map(|(_, rows)| rows);
        let filter = allowed.map(|rows| rows as Filter);
        let control = Control::new();
        let threads = spec.threads.unwrap_or(1);
        let search = |query: &[f32]| -> Outcome<Vec<Hit>> {
            Ok(match index {
                Index::Flat(index) => index.search_filtered(query, *k, filter, &control)?,
                Index::Hnsw(index) => index.search_filtered(query, *k, *effort, filter, &control)?,
                Index::Rows(rows) => {
                    std::hint::black_box(read_once(rows));
                    Vec::new()
                }
            })
        };
        let mut found = Vec::with_capacity(*asked);
        let mut query_nanos = Vec::with_capacity(*asked);
        let (began, cpu_start) = (Instant::now(), cpu_nanos());
        if query.batch {
            found = match index {
                Index::Flat(index) => index.search_many_filtered(queries, *k, threads, filter, &control)?,
                Index::Hnsw(index) => {
                    index.search_many_filtered(queries, *k, *effort, threads, filter, &control)?
                }
                Index::Rows(_) => return Err("expected one query at a time".into()),
            };
        } else if threads == 1 {
            for query in queries.chunks_exact(spec.dim) {
                let query_began = Instant::now();
                found.push(search(query)?);
                query_nanos.push(query_began.elapsed().as_nanos() as u64);
            }
        } else {
            let queries: Vec<&[f32]> = queries.chunks_exact(spec.dim).collect();
            (found, query_nanos) = search_concurrently(&queries, threads, search)?;
        }
        let (cpu, wall) = (cpu_nanos() - cpu_start, began.elapsed().as_nanos() as u64);
        if let Some(path) = &query.found {
            write_found(path, &found, *k)?;
        }
        Ok(json!({"wallNanos": wall, "cpuNanos": cpu, "queryNanos": query_nanos}))
    }
}

/// Builds an index and saves it. The reply has the times of building, without saving.
fn build(spec: &IndexSpec) -> Outcome<Value> {
    let IndexSpec { rows, count, dim, folder, options, .. } = spec;
    let (began, cpu_start) = (Instant::now(), cpu_nanos());
    let built = match options.index {
        Kind::Bandwidth => None,
        Kind::Flat => {
            let storage = options.storage()?;
            let index = matrix::read_index(rows, *count, *dim, spec.similarity()?, storage)?;
            Some(Index::Flat(Box::new(index)))
        }
        Kind::Hnsw => {
            let similarity = spec.similarity()?;
            let flat = if matrix::is_flat(rows) {
                matrix::open_flat(rows, *count, *dim, similarity)?
            } else {
                matrix::read_index(rows, *count, *dim, similarity, Storage::F32)?
            };
            let (threads, options) = (options.threads.or(spec.threads).unwrap_or(1), options.hnsw()?);
            let index = run_with_progress("building", *count, |control| {
                HnswIndex::from_flat(flat, options, threads, control)
            })?;
            Some(Index::Hnsw(Box::new(index)))
        }
    };
    let (seconds, cpu) = (began.elapsed().as_secs_f64(), cpu_nanos() - cpu_start);
    match built {
        Some(Index::Flat(index)) => index.save(&folder.join("index"))?,
        Some(Index::Hnsw(index)) => index.save(&folder.join("index"))?,
        _ => {}
    }
    Ok(json!({"seconds": seconds, "cpuSeconds": cpu as f64 / 1e9}))
}

/// Opens the index that [`build`] saved, or reads the rows for [`Kind::Bandwidth`].
fn open(spec: &IndexSpec) -> Outcome<Index> {
    let file = spec.folder.join("index");
    let in_memory = spec.options.in_memory.unwrap_or(true);
    let options = OpenOptions { in_memory, verify: false };
    Ok(match spec.options.index {
        Kind::Flat => Index::Flat(Box::new(FlatIndex::open_with(&file, options)?)),
        Kind::Hnsw => Index::Hnsw(Box::new(HnswIndex::open_with(&file, options)?)),
        Kind::Bandwidth => Index::Rows(matrix::read(&spec.rows, spec.count, spec.dim)?),
    })
}

impl IndexSpec {
    fn similarity(&self) -> Outcome<Similarity> {
        similarity(&self.similarity)
    }
}

impl Options {
    fn storage(&self) -> Outcome<Storage> {
        let Some(name) = &self.storage else { return Ok(Storage::F32) };
        Ok(Storage::from_name(name)
            .ok_or_else(|| format!("expected f32, f16 or int8Rescored, got {name}"))?)
    }

    fn hnsw(&self) -> Outcome<HnswOptions> {
        let defaults = HnswOptions::default();
        let inner_product = match &self.inner_product {
            Some(name) => InnerProduct::from_name(name)
                .ok_or_else(|| format!("expected graph or augmentedL2, got {name}"))?,
            None => defaults.inner_product,
        };
        let layout = match &self.layout {
            Some(name) => {
                Layout::from_name(name).ok_or_else(|| format!("expected fast or compact, got {name}"))?
            }
            None => defaults.layout,
        };
        Ok(HnswOptions {
            m: self.m.unwrap_or(defaults.m),
            ef_construction: self.ef_construction.unwrap_or(defaults.ef_construction),
            inner_product,
            layout,
            ..defaults
        })
    }
}

/// Returns the similarity with this name in a request.
pub fn similarity(name: &str) -> Outcome<Similarity> {
    match name {
        "dot" => Ok(Similarity::Dot),
        "l2" => Ok(Similarity::L2),
        _ => Err(format!("expected dot or l2, got {name}").into()),
    }
}

/// Writes the row numbers of hits, `k` per query, as little-endian i32. If a query has fewer than `k` hits, its row
/// numbers are padded with −1.
pub fn write_found(path: &Path, found: &[Vec<Hit>], k: usize) -> Outcome<()> {
    let mut row_numbers = vec![-1i32; found.len() * k];
    for (query_rows, hits) in row_numbers.chunks_exact_mut(k).zip(found) {
        for (row, hit) in query_rows.iter_mut().zip(hits) {
            *row = i32::try_from(hit.ord)?;
        }
    }
    Ok(fs::write(path, bytemuck::cast_slice(&row_numbers))?)
}

/// Reads all rows once, and combines their bits so that the compiler does not remove the reads. Sixteen independent
/// accumulators are enough to make memory the bottleneck.
fn read_once(rows: &[f32]) -> [u64; 16] {
    let mut sums = [0u64; 16];
    let (_, blocks, _) = bytemuck::pod_align_to::<f32, [u64; 16]>(rows);
    for block in blocks {
        for (sum, word) in sums.iter_mut().zip(block) {
            *sum ^= word;
        }
    }
    sums
}

/// Returns the version of this program and the time of its compilation, so that the benchmark does not reuse indexes
/// that another build of the program made.
fn version() -> String {
    let built = std::env::current_exe().and_then(fs::metadata).and_then(|program| program.modified());
    let seconds =
        built.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |time| time.as_secs());
    format!("{} built {seconds}", env!("CARGO_PKG_VERSION"))
}

/// Returns the processor time of this process in nanoseconds.
fn cpu_nanos() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
