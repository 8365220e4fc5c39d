//! Builds and searches indexes, one request after another.

use std::error::Error;
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
use crate::progress::reported;
use crate::{Outcome, filter, matrix};

#[derive(Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
pub enum Request {
    Describe,
    Build(Place),
    Query(Query),
}

/// An index, and the rows that it is built from.
#[derive(Deserialize, Clone, PartialEq)]
pub struct Place {
    rows: PathBuf,
    count: usize,
    dim: usize,
    similarity: String,
    folder: PathBuf,
    options: Options,
    /// Threads that build an index and that answer queries: a batch together, or each one query at a time. One by default.
    threads: Option<usize>,
}

#[derive(Deserialize, Clone, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Options {
    index: Kind,
    m: Option<usize>,
    ef_construction: Option<usize>,
    inner_product: Option<String>,
    layout: Option<String>,
    /// How a flat index stores its vectors.
    storage: Option<String>,
    /// Threads that build an index, instead of those of the request.
    threads: Option<usize>,
    /// Whether an opened index is copied to memory, as those of other systems are. True by default.
    in_memory: Option<bool>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Flat,
    Hnsw,
    /// No index: a query reads all rows once and finds nothing. No scan of f32 can be faster.
    Bandwidth,
}

#[derive(Deserialize)]
pub struct Query {
    #[serde(flatten)]
    place: Place,
    queries: PathBuf,
    asked: usize,
    k: usize,
    effort: usize,
    batch: bool,
    filter: Option<PathBuf>,
    found: Option<PathBuf>,
}

enum Index {
    Flat(Box<FlatIndex>),
    Hnsw(Box<HnswIndex>),
    Rows(Vec<f32>),
}

/// A server, with what it opened last.
#[derive(Default)]
pub struct Server {
    opened: Option<(Place, Index)>,
    queries: Option<(PathBuf, Vec<f32>)>,
    filter: Option<(PathBuf, RowSet)>,
}

impl Server {
    pub fn answer(&mut self, request: Request) -> Outcome<Value> {
        match request {
            Request::Describe => {
                Ok(json!({"version": version(), "filters": true, "threads": ["build", "query", "batch"]}))
            }
            Request::Build(place) => build(&place),
            Request::Query(query) => self.query(&query),
        }
    }

    fn query(&mut self, query: &Query) -> Outcome<Value> {
        let Query { place, asked, k, effort, .. } = query;
        if self.opened.as_ref().is_none_or(|(opened, _)| opened != place) {
            // Closes the previous index first, so that there are never two in memory.
            self.opened = None;
            self.opened = Some((place.clone(), open(place)?));
        }
        let size = asked * place.dim;
        if self.queries.as_ref().is_none_or(|(path, read)| *path != query.queries || read.len() != size) {
            let read = matrix::read(&query.queries, *asked, place.dim)?;
            self.queries = Some((query.queries.clone(), read));
        }
        if self.filter.as_ref().map(|(path, _)| path) != query.filter.as_ref() {
            let read = |path: &PathBuf| Ok((path.clone(), filter::read(path, place.count)?));
            self.filter =
                query.filter.as_ref().map(read).transpose().map_err(|error: Box<dyn Error>| error)?;
        }
        let (_, index) = self.opened.as_ref().expect("opened above");
        let (_, queries) = self.queries.as_ref().expect("read above");
        let allowed = self.filter.as_ref().map(|(_, rows)| rows);
        let filter = allowed.map(|rows| rows as Filter);
        let control = Control::new();
        let threads = place.threads.unwrap_or(1);
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
        let mut each = Vec::with_capacity(*asked);
        let (began, cpu) = (Instant::now(), cpu_nanos());
        if query.batch {
            found = match index {
                Index::Flat(index) => index.search_many_filtered(queries, *k, threads, filter, &control)?,
                Index::Hnsw(index) => {
                    index.search_many_filtered(queries, *k, *effort, threads, filter, &control)?
                }
                Index::Rows(_) => return Err("expected one query at a time".into()),
            };
        } else if threads == 1 {
            for query in queries.chunks_exact(place.dim) {
                let began = Instant::now();
                found.push(search(query)?);
                each.push(began.elapsed().as_nanos() as u64);
            }
        } else {
            let queries: Vec<&[f32]> = queries.chunks_exact(place.dim).collect();
            (found, each) = search_concurrently(&queries, threads, search)?;
        }
        let (cpu, wall) = (cpu_nanos() - cpu, began.elapsed().as_nanos() as u64);
        if let Some(path) = &query.found {
            write_found(path, &found, *k)?;
        }
        Ok(json!({"wallNanos": wall, "cpuNanos": cpu, "queryNanos": each}))
    }
}

fn build(place: &Place) -> Outcome<Value> {
    let Place { rows, count, dim, folder, options, .. } = place;
    let (began, cpu) = (Instant::now(), cpu_nanos());
    let built = match options.index {
        Kind::Bandwidth => None,
        Kind::Flat => {
            let storage = options.storage()?;
            let index = matrix::read_index(rows, *count, *dim, place.similarity()?, storage)?;
            Some(Index::Flat(Box::new(index)))
        }
        Kind::Hnsw => {
            let similarity = place.similarity()?;
            let flat = if matrix::is_flat(rows) {
                matrix::open_flat(rows, *count, *dim, similarity)?
            } else {
                matrix::read_index(rows, *count, *dim, similarity, Storage::F32)?
            };
            let (threads, options) = (options.threads.or(place.threads).unwrap_or(1), options.hnsw()?);
            let index = reported("building", *count, |control| {
                HnswIndex::from_flat(flat, options, threads, control)
            })?;
            Some(Index::Hnsw(Box::new(index)))
        }
    };
    let (seconds, cpu) = (began.elapsed().as_secs_f64(), cpu_nanos() - cpu);
    match built {
        Some(Index::Flat(index)) => index.save(&folder.join("index"))?,
        Some(Index::Hnsw(index)) => index.save(&folder.join("index"))?,
        _ => {}
    }
    Ok(json!({"seconds": seconds, "cpuSeconds": cpu as f64 / 1e9}))
}

fn open(place: &Place) -> Outcome<Index> {
    let file = place.folder.join("index");
    let in_memory = place.options.in_memory.unwrap_or(true);
    let options = OpenOptions { in_memory, verify: false };
    Ok(match place.options.index {
        Kind::Flat => Index::Flat(Box::new(FlatIndex::open_with(&file, options)?)),
        Kind::Hnsw => Index::Hnsw(Box::new(HnswIndex::open_with(&file, options)?)),
        Kind::Bandwidth => Index::Rows(matrix::read(&place.rows, place.count, place.dim)?),
    })
}

impl Place {
    fn similarity(&self) -> Outcome<Similarity> {
        similarity(&self.similarity)
    }
}

impl Options {
    fn storage(&self) -> Outcome<Storage> {
        let Some(name) = &self.storage else { return Ok(Storage::F32) };
        Ok(Storage::from_name(name)
            .ok_or_else(|| format!("expected f32, f16 or int8Filtered, got {name}"))?)
    }

    fn hnsw(&self) -> Outcome<HnswOptions> {
        let or = HnswOptions::default();
        let inner_product = match &self.inner_product {
            Some(name) => InnerProduct::from_name(name)
                .ok_or_else(|| format!("expected graph or augmentedL2, got {name}"))?,
            None => or.inner_product,
        };
        let layout = match &self.layout {
            Some(name) => {
                Layout::from_name(name).ok_or_else(|| format!("expected fast or compact, got {name}"))?
            }
            None => or.layout,
        };
        Ok(HnswOptions {
            m: self.m.unwrap_or(or.m),
            ef_construction: self.ef_construction.unwrap_or(or.ef_construction),
            inner_product,
            layout,
            ..or
        })
    }
}

pub fn similarity(name: &str) -> Outcome<Similarity> {
    match name {
        "dot" => Ok(Similarity::Dot),
        "l2" => Ok(Similarity::L2),
        _ => Err(format!("expected dot or l2, got {name}").into()),
    }
}

/// Writes row numbers `[queries * k]` as little-endian i32, -1 where there are fewer.
pub fn write_found(path: &Path, found: &[Vec<Hit>], k: usize) -> Outcome<()> {
    let mut ids = vec![-1i32; found.len() * k];
    for (row, hits) in ids.chunks_exact_mut(k).zip(found) {
        for (id, hit) in row.iter_mut().zip(hits) {
            *id = i32::try_from(hit.ord)?;
        }
    }
    Ok(fs::write(path, bytemuck::cast_slice(&ids))?)
}

/// Reads all rows. Sixteen sums at once leave memory as the bottleneck.
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

/// The version and the time of compilation: indexes of another build of this program are not reused.
fn version() -> String {
    let built = std::env::current_exe().and_then(fs::metadata).and_then(|program| program.modified());
    let seconds =
        built.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |time| time.as_secs());
    format!("{} built {seconds}", env!("CARGO_PKG_VERSION"))
}

/// The processor time of this process in nanoseconds.
fn cpu_nanos() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
