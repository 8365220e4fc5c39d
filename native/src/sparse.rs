//! BM25.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use corpus::PassageStore;
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object};
use napi_derive::napi;
use sparse::{Analyzer, Bm25, Bm25Index, Filter, IndexWriter, PassageFields, WriterOptions};

use crate::control::{Control, or_new};
use crate::corpus::NativeReadFileOptions;
use crate::error::Failure;
use crate::evaluation::NativeTexts;
use crate::ingest::{self, Put, put, whole};
use crate::run::{Hits, NativeRun, found};
use crate::task::{Outcome, call, spawn};

/// An analyzer and its options, in both directions.
#[napi(object)]
pub struct NativeAnalyzer {
    /// `english`, `simple`, `whitespace`, `snowball:<language>` or `wordpiece`.
    pub name: String,
    /// The `tokenizer.json` of `wordpiece`.
    pub tokenizer: Option<String>,
    /// In the place of its own.
    pub stop_words: Option<Vec<String>>,
    /// Says only what an index has.
    pub version: Option<u32>,
}

impl NativeAnalyzer {
    fn load(self) -> Outcome<Analyzer> {
        let analyzer = match self.tokenizer {
            Some(path) => Analyzer::word_piece(Path::new(&path))?,
            None => self.name.parse()?,
        };
        Ok(match self.stop_words {
            Some(words) => analyzer.with_stop_words(words)?,
            None => analyzer,
        })
    }

    /// `folder` is that of its index.
    fn describe(analyzer: &Analyzer, folder: &Path) -> Self {
        Self {
            name: match analyzer.language() {
                Some(language) => format!("snowball:{language}"),
                None => analyzer.name().to_owned(),
            },
            tokenizer: analyzer.tokenizer_copy(folder).map(|path| path.to_string_lossy().into_owned()),
            stop_words: analyzer.stop_words().map(<[String]>::to_vec),
            version: Some(analyzer.version()),
        }
    }
}

fn params(k1: f64, b: f64) -> Bm25 {
    Bm25 { k1: k1 as f32, b: b as f32 }
}

/// Filters come as JSON, whose form TypeScript has checked.
fn parsed(filter: Option<String>) -> Outcome<Option<Filter>> {
    let filter = filter.map(|json| serde_json::from_str(&json)).transpose();
    filter.map_err(|error| Failure::argument(format!("filter: expected a filter, got {error}")))
}

/// Queries on their way from JavaScript, copied a slice at a time.
#[napi]
#[derive(Default)]
pub struct QueryBatch {
    ids: Vec<String>,
    texts: Vec<String>,
}

#[napi]
impl QueryBatch {
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    #[napi(catch_unwind)]
    pub fn push(&mut self, ids: Vec<String>, texts: Vec<String>) {
        self.ids.extend(ids);
        self.texts.extend(texts);
    }

    /// Ids and texts of `count` queries, each with U+0000 between them: one string crosses faster than many. False,
    /// and nothing taken, if some have that character in them.
    #[napi(catch_unwind)]
    pub fn push_joined(&mut self, count: u32, ids: String, texts: String) -> bool {
        let (ids, texts) = (ids.split('\0'), texts.split('\0'));
        let count = count as usize;
        if (ids.clone().count(), texts.clone().count()) != (count, count) {
            return false;
        }
        self.ids.extend(ids.map(str::to_owned));
        self.texts.extend(texts.map(str::to_owned));
        true
    }
}

/// An open index.
#[napi]
pub struct NativeBm25Index {
    inner: Option<Arc<Bm25Index>>,
    path: PathBuf,
}

/// An index of another analyzer than the one given is refused.
#[napi(ts_return_type = "Promise<NativeBm25Index>", catch_unwind)]
pub fn open_bm25_index(
    env: &Env,
    path: String,
    analyzer: Option<NativeAnalyzer>,
) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let expected = analyzer.map(NativeAnalyzer::load).transpose()?;
        let path = PathBuf::from(path);
        let index = Bm25Index::open_expecting(&path, expected)?;
        let path = std::path::absolute(&path).unwrap_or(path);
        Ok(NativeBm25Index { inner: Some(Arc::new(index)), path })
    })
}

#[napi(object)]
pub struct NativeTermExplanation {
    pub term: String,
    pub query_frequency: f64,
    pub frequency: u32,
    pub passages: u32,
    pub idf: f64,
    pub contribution: f64,
}

#[napi(object)]
pub struct NativeExplanation {
    pub score: f64,
    pub length: u32,
    pub average_length: f64,
    pub terms: Vec<NativeTermExplanation>,
}

impl NativeBm25Index {
    fn opened(&self) -> Outcome<Arc<Bm25Index>> {
        self.inner.clone().ok_or_else(|| Failure::closed("index"))
    }
}

#[napi]
impl NativeBm25Index {
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> napi::Result<u32> {
        call(|| Ok(self.opened()?.len() as u32))
    }

    #[napi(getter, catch_unwind)]
    pub fn analyzer(&self) -> napi::Result<NativeAnalyzer> {
        call(|| Ok(NativeAnalyzer::describe(&self.opened()?.analyzer(), &self.path)))
    }

    #[napi(catch_unwind)]
    pub fn terms(&self, text: String) -> napi::Result<Vec<String>> {
        call(|| Ok(self.opened()?.analyzer().tokens(&text)))
    }

    /// The hits here and now, if that takes no longer than a tenth of a millisecond or so.
    #[napi(catch_unwind)]
    pub fn search_if_quick(&self, query: String, k: u32, k1: f64, b: f64) -> napi::Result<Option<Hits>> {
        call(|| {
            let searcher = self.opened()?.searcher();
            let hits =
                searcher.search_if_quick(&query, k as usize, params(k1, b), &control::Control::new())?;
            hits.map(|hits| found(&searcher, &hits)).transpose()
        })
    }

    #[napi(ts_return_type = "Promise<Hits>", catch_unwind)]
    #[allow(clippy::too_many_arguments)]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: String,
        k: u32,
        k1: f64,
        b: f64,
        filter: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control) = (self.opened(), or_new(control));
        spawn(env, move || {
            let searcher = index?.searcher();
            let filtered = searcher.filtered(parsed(filter)?.as_ref(), &control)?;
            let hits = filtered.search(&query, k as usize, params(k1, b), &control)?;
            found(&searcher, &hits)
        })
    }

    #[napi(ts_return_type = "Promise<Hits>", catch_unwind)]
    #[allow(clippy::too_many_arguments)]
    pub fn search_terms<'env>(
        &self,
        env: &'env Env,
        terms: Vec<String>,
        weights: Float32Array,
        k: u32,
        k1: f64,
        b: f64,
        filter: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control) = (self.opened(), or_new(control));
        let terms: Vec<(String, f32)> = terms.into_iter().zip(weights.iter().copied()).collect();
        spawn(env, move || {
            let searcher = index?.searcher();
            let filtered = searcher.filtered(parsed(filter)?.as_ref(), &control)?;
            let hits = filtered.search_terms(&terms, k as usize, params(k1, b), &control)?;
            found(&searcher, &hits)
        })
    }

    #[napi(ts_return_type = "Promise<NativeRun>", catch_unwind)]
    #[allow(clippy::too_many_arguments)]
    pub fn search_many<'env>(
        &self,
        env: &'env Env,
        batch: &mut QueryBatch,
        k: u32,
        k1: f64,
        b: f64,
        threads: u32,
        filter: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control) = (self.opened(), or_new(control));
        let QueryBatch { ids, texts } = std::mem::take(batch);
        spawn(env, move || {
            let searcher = index?.searcher();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let filtered = searcher.filtered(parsed(filter)?.as_ref(), &control)?;
            let lists =
                filtered.search_many(&texts, k as usize, params(k1, b), threads as usize, &control)?;
            NativeRun::ranked(ids, lists, Arc::clone(&searcher))
        })
    }

    #[napi(ts_return_type = "Promise<NativeExplanation>", catch_unwind)]
    pub fn explain<'env>(
        &self,
        env: &'env Env,
        query: String,
        id: String,
        k1: f64,
        b: f64,
    ) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            let explained = index?.searcher().explain(&query, &id, params(k1, b))?;
            let term = |term: sparse::TermExplanation| NativeTermExplanation {
                term: term.term,
                query_frequency: f64::from(term.query_frequency),
                frequency: term.frequency,
                passages: term.passages as u32,
                idf: f64::from(term.idf),
                contribution: f64::from(term.contribution),
            };
            Ok(NativeExplanation {
                score: f64::from(explained.score),
                length: explained.length,
                average_length: f64::from(explained.average_length),
                terms: explained.terms.into_iter().map(term).collect(),
            })
        })
    }

    /// The fields of a passage, as JSON.
    #[napi(ts_return_type = "Promise<string>", catch_unwind)]
    pub fn fields<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            let fields = index?.searcher().fields(&id)?;
            serde_json::to_string(&fields).map_err(|error| Failure::new("ERR_INTERNAL", error.to_string()))
        })
    }

    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn reload<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || Ok(index?.reload()?))
    }

    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn verify<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || Ok(index?.verify()?))
    }

    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.inner = None;
    }
}

/// An index being changed.
#[napi]
pub struct NativeBm25Writer {
    inner: Arc<Mutex<Option<IndexWriter>>>,
}

#[napi(object)]
pub struct NativeWriterOptions {
    pub overwrite: bool,
    pub threads: u32,
    pub memory: f64,
    pub merge_in_background: bool,
}

impl NativeWriterOptions {
    fn parse(&self) -> WriterOptions {
        let (threads, memory) = (self.threads as usize, self.memory as usize);
        WriterOptions { overwrite: self.overwrite, threads, memory }
    }

    fn apply(&self, mut writer: IndexWriter) -> NativeBm25Writer {
        writer.merge_in_background(self.merge_in_background);
        NativeBm25Writer { inner: Arc::new(Mutex::new(Some(writer))) }
    }
}

#[napi(ts_return_type = "Promise<NativeBm25Writer>", catch_unwind)]
pub fn create_bm25_index(
    env: &Env,
    path: String,
    analyzer: NativeAnalyzer,
    options: NativeWriterOptions,
) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        Ok(options.apply(IndexWriter::create(Path::new(&path), analyzer.load()?, options.parse())?))
    })
}

#[napi(ts_return_type = "Promise<NativeBm25Writer>", catch_unwind)]
pub fn open_bm25_writer(
    env: &Env,
    path: String,
    options: NativeWriterOptions,
    analyzer: Option<NativeAnalyzer>,
) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let expected = analyzer.map(NativeAnalyzer::load).transpose()?;
        Ok(options.apply(IndexWriter::open_expecting(Path::new(&path), expected, options.parse())?))
    })
}

impl NativeBm25Writer {
    fn with<T>(
        inner: &Mutex<Option<IndexWriter>>,
        work: impl FnOnce(&mut IndexWriter) -> Outcome<T>,
    ) -> Outcome<T> {
        let mut writer = inner.lock().unwrap_or_else(PoisonError::into_inner);
        work(writer.as_mut().ok_or_else(|| Failure::closed("writer"))?)
    }

    /// Puts every passage. An empty title is none; fields are JSON, or empty for none, and there
    /// are fewer of them than passages if the last have none.
    fn each(
        inner: &Mutex<Option<IndexWriter>>,
        ids: &[String],
        titles: &[String],
        texts: &[String],
        fields: &[String],
        put: Put,
    ) -> Outcome<()> {
        let none = PassageFields::new();
        let fields = fields.iter().map(String::as_str).chain(std::iter::repeat(""));
        Self::with(inner, |writer| {
            whole(writer, |writer, done| {
                for (((id, title), text), json) in ids.iter().zip(titles).zip(texts).zip(fields) {
                    let title = Some(title.as_str()).filter(|title| !title.is_empty());
                    if json.is_empty() {
                        put(writer, id, title, text, &none)?;
                    } else {
                        let fields = serde_json::from_str(json).map_err(|error| {
                            Failure::argument(format!("fields of \"{id}\": expected fields, got {error}"))
                        })?;
                        put(writer, id, title, text, &fields)?;
                    }
                    *done += 1;
                }
                Ok(())
            })
        })
    }
}

#[napi]
impl NativeBm25Writer {
    /// An empty title is none, and so are fields, which are JSON.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn add<'env>(
        &self,
        env: &'env Env,
        ids: Vec<String>,
        titles: Vec<String>,
        texts: Vec<String>,
        fields: Vec<String>,
    ) -> napi::Result<Object<'env>> {
        let inner = Arc::clone(&self.inner);
        spawn(env, move || Self::each(&inner, &ids, &titles, &texts, &fields, put(false)))
    }

    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn update<'env>(
        &self,
        env: &'env Env,
        ids: Vec<String>,
        titles: Vec<String>,
        texts: Vec<String>,
        fields: Vec<String>,
    ) -> napi::Result<Object<'env>> {
        let inner = Arc::clone(&self.inner);
        spawn(env, move || Self::each(&inner, &ids, &titles, &texts, &fields, put(true)))
    }

    /// Adds the passages of a file or folder, or updates them.
    #[napi(ts_return_type = "Promise<Ingested>", catch_unwind)]
    pub fn ingest_file<'env>(
        &self,
        env: &'env Env,
        source: String,
        options: NativeReadFileOptions,
        update: bool,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (inner, control) = (Arc::clone(&self.inner), or_new(control));
        spawn(env, move || {
            let mut reader =
                corpus::open_passages(Path::new(&source), options.format.parse()?, &options.parse())?;
            Self::with(&inner, |writer| ingest::from_reader(writer, put(update), &mut reader, &control))
        })
    }

    /// Adds the passages of a store, or updates them.
    #[napi(ts_return_type = "Promise<Ingested>", catch_unwind)]
    pub fn ingest_store<'env>(
        &self,
        env: &'env Env,
        store: &NativeTexts,
        update: bool,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (inner, store, control) = (Arc::clone(&self.inner), store.store(), or_new(control));
        spawn(env, move || {
            let store =
                store.ok_or_else(|| Failure::argument("source: expected a passage store, got texts"))?;
            Self::with(&inner, |writer| ingest::from_store(writer, put(update), &store, &control))
        })
    }

    /// Resolves to how many of the ids were there.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn delete<'env>(&self, env: &'env Env, ids: Vec<String>) -> napi::Result<Object<'env>> {
        let inner = Arc::clone(&self.inner);
        spawn(env, move || Self::with(&inner, |writer| Ok(writer.delete(&ids)? as u32)))
    }

    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn commit<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let inner = Arc::clone(&self.inner);
        spawn(env, move || Self::with(&inner, |writer| Ok(writer.commit()?)))
    }

    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn merge<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let inner = Arc::clone(&self.inner);
        spawn(env, move || Self::with(&inner, |writer| Ok(writer.merge()?)))
    }

    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn rollback<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let inner = Arc::clone(&self.inner);
        spawn(env, move || Self::with(&inner, |writer| Ok(writer.rollback()?)))
    }

    /// Changes that belong together ended half-way.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn interrupt<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let inner = Arc::clone(&self.inner);
        spawn(env, move || {
            Self::with(&inner, |writer| {
                writer.interrupt();
                Ok(())
            })
        })
    }

    /// Gives the lock back; what was not committed is gone.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let inner = Arc::clone(&self.inner);
        spawn(env, move || {
            *inner.lock().unwrap_or_else(PoisonError::into_inner) = None;
            Ok(())
        })
    }
}

/// Builds an index, in one segment, of the passages of a store.
#[napi(ts_return_type = "Promise<void>", catch_unwind)]
pub fn build_bm25_from_store<'env>(
    env: &'env Env,
    store: String,
    output: String,
    analyzer: NativeAnalyzer,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = or_new(control);
    spawn(env, move || {
        let store = PassageStore::open(Path::new(&store))?;
        let mut writer = IndexWriter::create(Path::new(&output), analyzer.load()?, WriterOptions::default())?;
        writer.merge_in_background(false);
        ingest::from_store(&mut writer, put(false), &store, &control)?;
        writer.commit()?;
        Ok(writer.merge()?)
    })
}
