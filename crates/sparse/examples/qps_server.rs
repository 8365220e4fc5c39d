//! The BM25 of this crate, and tantivy's own, behind the line protocol of `benches/qps`; also writes token files.
//!
//! `qps_server passagekit|tantivy` answers one JSON request a line; `qps_server tokens RAW TOKENS` analyses
//! `id<TAB>text[<TAB>title]` into `id<TAB>tokens`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write, stdin, stdout};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Instant, UNIX_EPOCH};

use control::Control;
use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;
use serde_json::{Value, json};
use sparse::{Analyzer, Bm25, Bm25Index, IndexWriter, Searcher, WriterOptions};
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value as _,
};
use tantivy::{DocAddress, Index, TantivyDocument, Term};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Bytes of memory for an index writer: what Lucene is given.
const MEMORY: usize = 256_000_000;

#[derive(Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
enum Request {
    Describe,
    Build { passages: PathBuf, folder: PathBuf, analysis: Analysis },
    Query(Asked),
}

#[derive(Deserialize)]
struct Asked {
    folder: PathBuf,
    queries: PathBuf,
    k: usize,
    rounds: usize,
    batch: bool,
    /// That search at once; of a batch, or each a query at a time.
    threads: Option<usize>,
    hits: Option<PathBuf>,
}

/// What a passage file holds.
#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Analysis {
    /// `id<TAB>tokens`, to be split at spaces.
    Tokens,
    /// `id<TAB>text<TAB>title`, to be analysed.
    English,
}

/// A passage id and a score.
type NamedHit = (String, f32);

/// An engine, which holds open what it searched last.
trait Engine: Sync {
    /// Of one search, or of a batch of them; in the engine's own terms.
    type Hits: Send;
    /// What can be done on several threads, as the protocol has it.
    const THREADS: &[&str];

    fn version(&self) -> String;
    fn build(&self, passages: &Path, folder: &Path, analysis: Analysis) -> Outcome<()>;
    fn open(&mut self, folder: &Path) -> Outcome<()>;
    fn search(&self, query: &str, k: usize) -> Outcome<Self::Hits>;
    fn search_batch(&self, queries: &[&str], k: usize, threads: usize) -> Outcome<Vec<Self::Hits>>;
    fn named(&self, hits: &Self::Hits) -> Outcome<Vec<NamedHit>>;
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["passagekit"] => serve(Passagekit { searcher: None }),
        ["tantivy"] => serve(Tantivy { opened: None }),
        ["tokens", raw, tokens] => write_tokens(Path::new(raw), Path::new(tokens)),
        _ => Err("expected passagekit, tantivy or tokens RAW TOKENS".into()),
    }
}

fn serve(mut engine: impl Engine) -> Outcome<()> {
    let mut opened = None;
    for line in stdin().lock().lines() {
        let reply = serde_json::from_str(&line?)
            .map_err(Into::into)
            .and_then(|request| answer(&mut engine, &mut opened, request))
            .unwrap_or_else(|error| json!({"error": error.to_string()}));
        println!("{reply}");
        stdout().flush()?;
    }
    Ok(())
}

fn answer(engine: &mut impl Engine, opened: &mut Option<PathBuf>, request: Request) -> Outcome<Value> {
    match request {
        Request::Describe => Ok(describe(engine)),
        Request::Build { passages, folder, analysis } => {
            let began = Instant::now();
            engine.build(&passages, &folder, analysis)?;
            Ok(json!({"seconds": began.elapsed().as_secs_f64()}))
        }
        Request::Query(asked) => {
            if opened.as_ref() != Some(&asked.folder) {
                engine.open(&asked.folder)?;
                *opened = Some(asked.folder.clone());
            }
            query(engine, &asked)
        }
    }
}

fn describe<E: Engine>(engine: &E) -> Value {
    json!({"version": engine.version(), "threads": E::THREADS})
}

fn query<E: Engine>(engine: &E, asked: &Asked) -> Outcome<Value> {
    let (k, threads) = (asked.k, asked.threads.unwrap_or(1));
    let queries = fs::read_to_string(&asked.queries)?;
    let queries: Vec<(&str, &str)> = queries.lines().map(fields).collect();
    let texts: Vec<&str> = queries.iter().map(|(_, text)| *text).collect();
    let mut found = Vec::new();
    let mut measured = Vec::with_capacity(asked.rounds);
    for _ in 0..asked.rounds {
        found.clear();
        let mut each = Vec::new();
        let (began, cpu) = (Instant::now(), cpu_nanos(threads)?);
        if asked.batch {
            found = engine.search_batch(&texts, k, threads)?;
        } else if threads == 1 {
            each.reserve(texts.len());
            for text in &texts {
                let began = Instant::now();
                found.push(engine.search(text, k)?);
                each.push(began.elapsed().as_nanos() as u64);
            }
        } else {
            (found, each) = search_side_by_side(engine, &texts, k, threads)?;
        }
        let (cpu, wall) = (cpu_nanos(threads)? - cpu, began.elapsed().as_nanos() as u64);
        measured.push(json!({"wallNanos": wall, "cpuNanos": cpu, "queryNanos": each}));
    }
    if let Some(path) = &asked.hits {
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

/// Hits and nanoseconds of each query. A thread takes the next one as soon as it is done with one.
fn search_side_by_side<E: Engine>(
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

struct Passagekit {
    searcher: Option<Arc<Searcher>>,
}

impl Passagekit {
    fn searcher(&self) -> &Searcher {
        self.searcher.as_ref().expect("opened before it is searched")
    }
}

impl Engine for Passagekit {
    type Hits = Vec<ranking::Hit>;
    const THREADS: &[&str] = &["query", "batch"];

    /// With the time of the build, since an index may not outlive the program that made it.
    fn version(&self) -> String {
        let built = std::env::current_exe().and_then(fs::metadata).and_then(|program| program.modified());
        let seconds =
            built.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |time| time.as_secs());
        format!("{} built {seconds}", env!("CARGO_PKG_VERSION"))
    }

    fn build(&self, passages: &Path, folder: &Path, analysis: Analysis) -> Outcome<()> {
        let analyzer = match analysis {
            Analysis::Tokens => Analyzer::WHITESPACE,
            Analysis::English => Analyzer::ENGLISH,
        };
        let options = WriterOptions { memory: MEMORY, ..WriterOptions::default() };
        let mut writer = IndexWriter::create(folder, analyzer, options)?;
        for_each_line(passages, |line| {
            let (id, text) = fields(line);
            let (text, title) = text.split_once('\t').unwrap_or((text, ""));
            Ok(writer.add(id, (!title.is_empty()).then_some(title), text)?)
        })?;
        writer.commit()?;
        writer.merge()?;
        Ok(writer.close()?)
    }

    fn open(&mut self, folder: &Path) -> Outcome<()> {
        self.searcher = Some(Bm25Index::open(folder)?.searcher());
        Ok(())
    }

    fn search(&self, query: &str, k: usize) -> Outcome<Self::Hits> {
        Ok(self.searcher().search(query, k, Bm25::default(), &Control::new())?)
    }

    fn search_batch(&self, queries: &[&str], k: usize, threads: usize) -> Outcome<Vec<Self::Hits>> {
        Ok(self.searcher().search_many(queries, k, Bm25::default(), threads, &Control::new())?)
    }

    fn named(&self, hits: &Self::Hits) -> Outcome<Vec<NamedHit>> {
        Ok(self.searcher().ids(hits)?.into_iter().zip(hits.iter().map(|hit| hit.score)).collect())
    }
}

/// tantivy as its users have it: a text field with frequencies, an id stored, its own BM25 (k1 = 1.2, b = 0.75).
struct Tantivy {
    /// With the fields of ids and of contents.
    opened: Option<(tantivy::Searcher, Field, Field)>,
}

impl Tantivy {
    fn opened(&self) -> &(tantivy::Searcher, Field, Field) {
        self.opened.as_ref().expect("opened before it is searched")
    }
}

impl Engine for Tantivy {
    type Hits = Vec<(f32, DocAddress)>;
    const THREADS: &[&str] = &["query"];

    fn version(&self) -> String {
        tantivy::version_string().to_owned()
    }

    fn build(&self, passages: &Path, folder: &Path, analysis: Analysis) -> Outcome<()> {
        if analysis == Analysis::English {
            return Err("expected tokens: tantivy has no analyzer like the others'".into());
        }
        let mut schema = Schema::builder();
        let id = schema.add_text_field("id", STRING | STORED);
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("whitespace")
            .set_index_option(IndexRecordOption::WithFreqs);
        let contents =
            schema.add_text_field("contents", TextOptions::default().set_indexing_options(indexing));
        fs::create_dir_all(folder)?;
        let index = Index::create_in_dir(folder, schema.build())?;
        let mut writer = index.writer_with_num_threads(1, MEMORY)?;
        for_each_line(passages, |line| {
            let (name, text) = fields(line);
            let mut document = TantivyDocument::new();
            document.add_text(id, name);
            document.add_text(contents, text);
            writer.add_document(document)?;
            Ok(())
        })?;
        writer.commit()?;
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        Ok(writer.wait_merging_threads()?)
    }

    fn open(&mut self, folder: &Path) -> Outcome<()> {
        let index = Index::open_in_dir(folder)?;
        let schema = index.schema();
        let searcher = index.reader()?.searcher();
        self.opened = Some((searcher, schema.get_field("id")?, schema.get_field("contents")?));
        Ok(())
    }

    fn search(&self, query: &str, k: usize) -> Outcome<Self::Hits> {
        let (searcher, _, contents) = self.opened();
        let mut counts = BTreeMap::new();
        for term in query.split(' ') {
            *counts.entry(term).or_insert(0.0) += 1.0;
        }
        let clause = |(term, count): (&str, f32)| -> (Occur, Box<dyn Query>) {
            let term = TermQuery::new(Term::from_field_text(*contents, term), IndexRecordOption::WithFreqs);
            if count == 1.0 {
                (Occur::Should, Box::new(term))
            } else {
                (Occur::Should, Box::new(BoostQuery::new(Box::new(term), count)))
            }
        };
        let query = BooleanQuery::new(counts.into_iter().map(clause).collect());
        Ok(searcher.search(&query, &TopDocs::with_limit(k).order_by_score())?)
    }

    fn search_batch(&self, _queries: &[&str], _k: usize, _threads: usize) -> Outcome<Vec<Self::Hits>> {
        Err("expected one query at a time: tantivy has no batches".into())
    }

    fn named(&self, hits: &Self::Hits) -> Outcome<Vec<NamedHit>> {
        let (searcher, id, _) = self.opened();
        let named = |&(score, address): &(f32, DocAddress)| {
            let document: TantivyDocument = searcher.doc(address)?;
            let name = document.get_first(*id).and_then(|value| value.as_str()).ok_or("expected an id")?;
            Ok((name.to_owned(), score))
        };
        hits.iter().map(named).collect()
    }
}

fn write_tokens(raw: &Path, tokens: &Path) -> Outcome<()> {
    let mut file = BufWriter::new(File::create(tokens)?);
    for_each_line(raw, |line| {
        let (id, text) = fields(line);
        let (text, title) = text.split_once('\t').unwrap_or((text, ""));
        write!(file, "{id}\t")?;
        let mut separator = "";
        let mut outcome = Ok(());
        let mut write = |token: &str| {
            outcome =
                std::mem::replace(&mut outcome, Ok(())).and_then(|()| write!(file, "{separator}{token}"));
            separator = " ";
        };
        Analyzer::ENGLISH.for_each_token(&format!("{title} {text}"), &mut write);
        outcome?;
        Ok(writeln!(file)?)
    })?;
    Ok(file.flush()?)
}

fn for_each_line(path: &Path, mut visit: impl FnMut(&str) -> Outcome<()>) -> Outcome<()> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut line = String::new();
    while file.read_line(&mut line)? > 0 {
        visit(line.trim_end_matches('\n'))?;
        line.clear();
    }
    Ok(())
}

/// The id of a line, and the rest.
fn fields(line: &str) -> (&str, &str) {
    line.split_once('\t').unwrap_or((line, ""))
}

/// Nanoseconds this thread has run; where others search with it, those that the process has.
fn cpu_nanos(threads: usize) -> Outcome<u64> {
    if threads > 1 {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        return Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64);
    }
    // Linux brings the figure up to date when a thread yields.
    thread::yield_now();
    let line = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(line.split(' ').next().unwrap_or_default().parse()?)
}
