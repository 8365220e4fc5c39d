//! Files of passages and questions, batch by batch, and the passage store.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use corpus::{Passage, PassageReader, PassageStore, PassageStoreWriter, QuestionReader, ReadOptions};
use napi::Env;
use napi::bindgen_prelude::{Int32Array, Object};
use napi_derive::napi;
use ranking::Qrels;
use text::SplitOptions;

use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::opening::NativeOpenOptions;
use crate::task::{Outcome, spawn};

#[napi(object)]
pub struct NativeSplit {
    pub words: u32,
    pub overlap: u32,
    pub wrap: bool,
}

#[napi(object)]
pub struct NativeReadFileOptions {
    pub format: String,
    pub skip_bad_lines: bool,
    pub split: Option<NativeSplit>,
    pub max_document_bytes: f64,
    pub max_passage_bytes: f64,
}

impl NativeReadFileOptions {
    /// `control` cancels opening, and also reading until the reader receives another control.
    pub fn parse(&self, control: &Arc<control::Control>) -> ReadOptions {
        let split = self.split.as_ref().map(|split| SplitOptions {
            words: split.words as usize,
            overlap: split.overlap as usize,
            wrap: split.wrap,
        });
        ReadOptions {
            split,
            skip_bad_lines: self.skip_bad_lines,
            max_document_bytes: self.max_document_bytes as usize,
            max_passage_bytes: self.max_passage_bytes as usize,
            control: Arc::clone(control),
        }
    }
}

#[napi(object)]
pub struct NativePassage {
    pub id: String,
    pub text: String,
    pub title: Option<String>,
}

impl From<Passage> for NativePassage {
    fn from(Passage { id, title, text }: Passage) -> Self {
        Self { id, text, title }
    }
}

#[napi(object)]
pub struct NativeQuestion {
    pub id: String,
    pub text: String,
    pub answers: Vec<String>,
    pub context: Option<NativePassage>,
}

/// A file of passages being read.
#[napi]
pub struct NativePassageReader {
    inner: Arc<Mutex<PassageReader>>,
}

#[napi(ts_return_type = "Promise<NativePassageReader>", catch_unwind)]
pub fn open_passages<'env>(
    env: &'env Env,
    path: String,
    options: NativeReadFileOptions,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = or_new(control);
    spawn(env, move || {
        let options = (options.format.parse()?, options.parse(&control));
        let reader = corpus::open_passages(Path::new(&path), options.0, &options.1)?;
        Ok(NativePassageReader { inner: Arc::new(Mutex::new(reader)) })
    })
}

#[napi]
impl NativePassageReader {
    /// Up to `count` passages; fewer at the end.
    #[napi(ts_return_type = "Promise<Array<NativePassage>>", catch_unwind)]
    pub fn next<'env>(
        &self,
        env: &'env Env,
        count: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let reader = Arc::clone(&self.inner);
        let control = or_new(control);
        spawn(env, move || {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            reader.set_control(Arc::clone(&control));
            let mut batch: Vec<NativePassage> = Vec::with_capacity(count as usize);
            for passage in reader.by_ref().take(count as usize) {
                control.check()?;
                batch.push(passage?.into());
            }
            control.set_total(reader.bytes_total());
            control.advance(reader.bytes_read());
            Ok(batch)
        })
    }

    /// Bad lines passed over so far.
    #[napi(getter, catch_unwind)]
    pub fn skipped(&self) -> f64 {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).skipped() as f64
    }
}

/// A file of questions being read.
#[napi]
pub struct NativeQuestionReader {
    inner: Arc<Mutex<QuestionReader>>,
}

#[napi(ts_return_type = "Promise<NativeQuestionReader>", catch_unwind)]
pub fn open_questions<'env>(
    env: &'env Env,
    path: String,
    options: NativeReadFileOptions,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = or_new(control);
    spawn(env, move || {
        let options = (options.format.parse()?, options.parse(&control));
        let reader = corpus::open_questions(Path::new(&path), options.0, &options.1)?;
        Ok(NativeQuestionReader { inner: Arc::new(Mutex::new(reader)) })
    })
}

#[napi]
impl NativeQuestionReader {
    /// Up to `count` questions; fewer at the end.
    #[napi(ts_return_type = "Promise<Array<NativeQuestion>>", catch_unwind)]
    pub fn next<'env>(
        &self,
        env: &'env Env,
        count: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let reader = Arc::clone(&self.inner);
        let control = or_new(control);
        spawn(env, move || {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            reader.set_control(Arc::clone(&control));
            let mut batch: Vec<NativeQuestion> = Vec::with_capacity(count as usize);
            for question in reader.by_ref().take(count as usize) {
                control.check()?;
                let corpus::Question { id, text, answers, context } = question?;
                batch.push(NativeQuestion { id, text, answers, context: context.map(NativePassage::from) });
            }
            control.set_total(reader.bytes_total());
            control.advance(reader.bytes_read());
            Ok(batch)
        })
    }

    /// Bad lines passed over so far.
    #[napi(getter, catch_unwind)]
    pub fn skipped(&self) -> f64 {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).skipped() as f64
    }
}

#[napi(object)]
pub struct Ingested {
    pub passages: u32,
    pub skipped: f64,
}

/// Reads a corpus into a store file.
#[napi(ts_return_type = "Promise<Ingested>", catch_unwind)]
pub fn ingest<'env>(
    env: &'env Env,
    source: String,
    options: NativeReadFileOptions,
    output: String,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = or_new(control);
    spawn(env, move || {
        let mut reader =
            corpus::open_passages(Path::new(&source), options.format.parse()?, &options.parse(&control))?;
        let mut writer = PassageStoreWriter::create(Path::new(&output))?;
        let ingested = corpus::ingest(&mut reader, &mut writer, &control)?;
        writer.finish(serde_json::Value::Null)?;
        Ok(Ingested { passages: ingested.passages as u32, skipped: ingested.skipped as f64 })
    })
}

/// A store file being written from JavaScript.
#[napi]
pub struct NativeStoreWriter {
    inner: Arc<Mutex<Option<PassageStoreWriter>>>,
}

#[napi(ts_return_type = "Promise<NativeStoreWriter>", catch_unwind)]
pub fn create_passage_store(env: &Env, path: String) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let writer = PassageStoreWriter::create(Path::new(&path))?;
        Ok(NativeStoreWriter { inner: Arc::new(Mutex::new(Some(writer))) })
    })
}

#[napi]
impl NativeStoreWriter {
    /// Appends passages; an empty title is none.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn push<'env>(
        &self,
        env: &'env Env,
        ids: Vec<String>,
        titles: Vec<String>,
        texts: Vec<String>,
    ) -> napi::Result<Object<'env>> {
        let writer = Arc::clone(&self.inner);
        spawn(env, move || {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = writer.as_mut().ok_or_else(|| Failure::closed("passage store"))?;
            for ((id, title), text) in ids.into_iter().zip(titles).zip(texts) {
                let title = Some(title).filter(|title| !title.is_empty());
                writer.push(&Passage { id, title, text })?;
            }
            Ok(())
        })
    }

    /// Completes the file.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn finish<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let writer = Arc::clone(&self.inner);
        spawn(env, move || {
            let writer = writer.lock().unwrap_or_else(PoisonError::into_inner).take();
            writer.ok_or_else(|| Failure::closed("passage store"))?.finish(serde_json::Value::Null)?;
            Ok(())
        })
    }

    /// Unfinished, the file is given up.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        *self.inner.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// An open store file.
#[napi]
pub struct NativePassageStore {
    inner: Option<Arc<PassageStore>>,
    size: u32,
    bytes: f64,
}

#[napi(ts_return_type = "Promise<NativePassageStore>", catch_unwind)]
pub fn open_passage_store(env: &Env, path: String, options: NativeOpenOptions) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let store = PassageStore::open_with(Path::new(&path), options.parse())?;
        let (size, bytes) = (store.len(), store.bytes() as f64);
        Ok(NativePassageStore { inner: Some(Arc::new(store)), size, bytes })
    })
}

#[napi]
impl NativePassageStore {
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.size
    }

    #[napi(getter, catch_unwind)]
    pub fn bytes(&self) -> f64 {
        self.bytes
    }

    /// The passages of these ids, in their order.
    #[napi(ts_return_type = "Promise<Array<NativePassage>>", catch_unwind)]
    pub fn get<'env>(&self, env: &'env Env, ids: Vec<String>) -> napi::Result<Object<'env>> {
        let store = self.inner.clone();
        spawn(env, move || {
            let store = store.ok_or_else(|| Failure::closed("passage store"))?;
            let passage = |id: &String| {
                let ord = store.find(id)?.ok_or_else(|| {
                    Failure::argument(format!("get: expected ids of passages in the store, got \"{id}\""))
                })?;
                at(&store, ord)
            };
            ids.iter().map(passage).collect::<Outcome<Vec<_>>>()
        })
    }

    /// Up to `count` passages from position `start` on.
    #[napi(ts_return_type = "Promise<Array<NativePassage>>", catch_unwind)]
    pub fn slice<'env>(&self, env: &'env Env, start: u32, count: u32) -> napi::Result<Object<'env>> {
        let (store, size) = (self.inner.clone(), self.size);
        spawn(env, move || {
            let store = store.ok_or_else(|| Failure::closed("passage store"))?;
            (start..start.saturating_add(count).min(size))
                .map(|ord| at(&store, ord))
                .collect::<Outcome<Vec<_>>>()
        })
    }

    /// Its passages' texts, for answer matching.
    #[napi(catch_unwind)]
    pub fn texts(&self) -> napi::Result<crate::evaluation::NativeTexts> {
        let store = self.inner.clone().ok_or_else(|| Failure::closed("passage store"))?;
        Ok(crate::evaluation::NativeTexts::of_store(store))
    }

    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.inner = None;
    }
}

fn at(store: &PassageStore, ord: u32) -> Outcome<NativePassage> {
    let passage = store.get(ord)?;
    Ok(NativePassage {
        id: passage.id.to_owned(),
        text: passage.text.to_owned(),
        title: passage.title.map(str::to_owned),
    })
}

/// Judgements, one a row.
#[napi(object)]
pub struct QrelsColumns {
    pub queries: Vec<String>,
    pub passages: Vec<String>,
    pub grades: Int32Array,
}

#[napi(ts_return_type = "Promise<QrelsColumns>", catch_unwind)]
pub fn read_qrels<'env>(
    env: &'env Env,
    path: String,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = or_new(control);
    spawn(env, move || {
        let qrels = corpus::read_qrels_cancellable(Path::new(&path), control)?;
        let (mut queries, mut passages, mut grades) = (Vec::new(), Vec::new(), Vec::new());
        for (query, judged) in qrels.iter() {
            for (passage, &grade) in judged {
                queries.push(query.to_owned());
                passages.push(passage.clone());
                grades.push(grade);
            }
        }
        Ok(QrelsColumns { queries, passages, grades: grades.into() })
    })
}

#[napi(ts_return_type = "Promise<void>", catch_unwind)]
pub fn write_qrels<'env>(
    env: &'env Env,
    path: String,
    columns: QrelsColumns,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = or_new(control);
    let grades = columns.grades.to_vec();
    let (queries, passages) = (columns.queries, columns.passages);
    spawn(env, move || {
        let mut qrels = Qrels::new();
        for ((query, passage), grade) in queries.into_iter().zip(passages).zip(grades) {
            qrels.insert(query, passage, grade);
        }
        Ok(corpus::write_qrels(Path::new(&path), &qrels, &control)?)
    })
}
