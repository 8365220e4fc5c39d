//! Creates and changes BM25 indexes.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use corpus::PassageStore;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use sparse::{IndexWriter, PassageFields, Put, WriterOptions};

use super::analyzer::NativeAnalyzer;
use crate::call::{CallResult, Control, Failure, control_or_new, spawn};
use crate::corpus::{Ingested, NativeReadFileOptions, NativeTexts};

/// A BM25 index that is being changed.
#[napi]
pub struct NativeBm25Writer {
    /// `None` once the writer is closed.
    inner: Arc<Mutex<Option<IndexWriter>>>,
}

/// How an index is written.
#[napi(object)]
pub struct NativeWriterOptions {
    /// Whether an existing index may be replaced.
    pub overwrite: bool,
    /// Number of threads that analyze passages, in addition to the thread that adds them.
    pub threads: u32,
    /// Number of bytes of memory for passages that are not written yet, for all threads together.
    pub memory: f64,
    /// Whether segments are merged while passages are added.
    pub merge_in_background: bool,
}

impl NativeWriterOptions {
    fn parse(&self) -> WriterOptions {
        let (threads, memory) = (self.threads as usize, self.memory as usize);
        WriterOptions { overwrite: self.overwrite, threads, memory }
    }

    /// Makes the JavaScript object of a writer. Sets `merge_in_background`, the option that is not in
    /// [`WriterOptions`].
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

/// Opens an index for changes. If an analyzer is given, fails if the analyzer of the index differs from it.
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
    /// Calls `work` with the writer. Fails with `ERR_CLOSED` if the writer is closed.
    fn with<T>(
        inner: &Mutex<Option<IndexWriter>>,
        work: impl FnOnce(&mut IndexWriter) -> CallResult<T>,
    ) -> CallResult<T> {
        let mut writer = inner.lock().unwrap_or_else(PoisonError::into_inner);
        work(writer.as_mut().ok_or_else(|| Failure::closed("writer"))?)
    }

    /// Adds or updates passages. If an error occurs after the first change, the writer is interrupted (see
    /// [`interrupt`](Self::interrupt)), so that no commit has only some of the passages. An empty title means no title.
    /// Fields are JSON, or an empty string for no fields. If `fields` is shorter than `ids`, the last passages have no
    /// fields.
    fn put_all(
        inner: &Mutex<Option<IndexWriter>>,
        ids: &[String],
        titles: &[String],
        texts: &[String],
        fields: &[String],
        put: Put,
    ) -> CallResult<()> {
        let no_fields = PassageFields::new();
        let fields = fields.iter().map(String::as_str).chain(std::iter::repeat(""));
        Self::with(inner, |writer| {
            writer.all_or_none(|writer, change_count| {
                for (((id, title), text), json) in ids.iter().zip(titles).zip(texts).zip(fields) {
                    let title = Some(title.as_str()).filter(|title| !title.is_empty());
                    if json.is_empty() {
                        writer.put_with_fields(put, id, title, text, &no_fields)?;
                    } else {
                        let fields = serde_json::from_str(json).map_err(|error| {
                            Failure::argument(format!("cannot parse the fields of \"{id}\": {error}"))
                        })?;
                        writer.put_with_fields(put, id, title, text, &fields)?;
                    }
                    *change_count += 1;
                }
                Ok(())
            })
        })
    }
}

#[napi]
impl NativeBm25Writer {
    /// Adds passages with new ids. An empty title means no title. Fields are JSON, or empty for no fields.
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
        spawn(env, move || Self::put_all(&inner, &ids, &titles, &texts, &fields, Put::Add))
    }

    /// Adds passages, and replaces passages that have the same ids. The arguments are those of `add`.
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
        spawn(env, move || Self::put_all(&inner, &ids, &titles, &texts, &fields, Put::Update))
    }

    /// Adds the passages of a file or folder. With `update`, they replace passages that have the same ids; without it,
    /// an id that the index already has is an error.
    #[napi(ts_return_type = "Promise<Ingested>", catch_unwind)]
    pub fn ingest_file<'env>(
        &self,
        env: &'env Env,
        source: String,
        options: NativeReadFileOptions,
        update: bool,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (inner, control) = (Arc::clone(&self.inner), control_or_new(control));
        spawn(env, move || {
            let mut reader =
                corpus::open_passages(Path::new(&source), options.format.parse()?, &options.parse(&control))?;
            Self::with(&inner, |writer| {
                Ok(Ingested::from(pipelines::index_file(writer, put(update), &mut reader, &control)?))
            })
        })
    }

    /// Adds the passages of a passage store. With `update`, they replace passages that have the same ids; without it,
    /// an id that the index already has is an error.
    #[napi(ts_return_type = "Promise<Ingested>", catch_unwind)]
    pub fn ingest_store<'env>(
        &self,
        env: &'env Env,
        store: &NativeTexts,
        update: bool,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (inner, store, control) = (Arc::clone(&self.inner), store.store(), control_or_new(control));
        spawn(env, move || {
            let store =
                store.ok_or_else(|| Failure::argument("source: expected a passage store, got texts"))?;
            Self::with(&inner, |writer| {
                Ok(Ingested::from(pipelines::index_store(writer, put(update), &store, &control)?))
            })
        })
    }

    /// Deletes the passages with these ids, and ignores unknown ids. Resolves to the number of deleted passages.
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

    /// Merges all committed segments into one segment without deleted passages.
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

    /// Marks the changes since the last commit as incomplete, because JavaScript passes a batch in several calls and
    /// one of them failed. The changes can then only be rolled back.
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

    /// Releases the lock of the index. Changes that were not committed are lost.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let inner = Arc::clone(&self.inner);
        spawn(env, move || {
            *inner.lock().unwrap_or_else(PoisonError::into_inner) = None;
            Ok(())
        })
    }
}

/// Builds an index of one segment in the folder `output` from the passages of the passage store at the path `store`.
/// The index records `state`, which is JSON.
#[napi(ts_return_type = "Promise<void>", catch_unwind)]
pub fn build_bm25_from_store<'env>(
    env: &'env Env,
    store: String,
    output: String,
    analyzer: NativeAnalyzer,
    state: String,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = control_or_new(control);
    spawn(env, move || {
        let store = PassageStore::open(Path::new(&store))?;
        let state = serde_json::from_str(&state)
            .map_err(|error| Failure::argument(format!("state: expected valid JSON: {error}")))?;
        Ok(pipelines::build_bm25(&store, Path::new(&output), analyzer.load()?, state, &control)?)
    })
}

fn put(update: bool) -> Put {
    if update { Put::Update } else { Put::Add }
}
