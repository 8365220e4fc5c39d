//! Reads the passages of a run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use corpus::PassageStore;
use inference::{ReaderModel, ReaderPassage};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use ranking::RetrievedRun;
use reading::{
    CacheLookup, QuestionBuilder, ReadingCache, ReadingKey, SpanLimits, StoredReading, Window, read_through,
};

use super::cache::NativeReadingCache;
use super::options::NativeSpanLimits;
use super::reader_identity::reader_identity;
use super::run_readings::{NativeReadings, RunReadings};
use crate::call::{CallResult, Control, Failure, control_or_new, spawn};
use crate::corpus::NativeTexts;
use crate::models::{NativeReader, ReaderOrigin, to_window};
use crate::runs::NativeRun;

/// The passages to read, by their ids.
enum Passages {
    Store(Arc<PassageStore>),
    /// Titles and texts.
    Memory(HashMap<String, (Option<String>, String)>),
}

impl Passages {
    fn get(&self, id: &str) -> CallResult<ReaderPassage<'_>> {
        let found = match self {
            Self::Store(store) => match store.find(id)? {
                Some(ord) => {
                    let passage = store.get(ord)?;
                    Some(ReaderPassage { title: passage.title, text: passage.text })
                }
                None => None,
            },
            Self::Memory(passages) => {
                passages.get(id).map(|(title, text)| ReaderPassage { title: title.as_deref(), text })
            }
        };
        found.ok_or_else(|| {
            Failure::argument(format!("readRun: expected every passage of the run, got none of \"{id}\""))
        })
    }
}

/// Reads the passages of a run. JavaScript passes questions and passages in several calls, so that none takes long.
#[napi]
pub struct RunReader {
    run: RetrievedRun,
    passages: Passages,
    depth: usize,
    limits: SpanLimits,
    questions: Vec<(String, String)>,
}

#[napi]
impl RunReader {
    /// Reads the first `depth` passages of each question, from the store of `texts` or, if there is none, from those that are
    /// added.
    #[napi(constructor, catch_unwind)]
    pub fn new(run: &NativeRun, texts: Option<&NativeTexts>, depth: u32, limits: NativeSpanLimits) -> Self {
        let store = texts.and_then(NativeTexts::store);
        let passages = store.map_or_else(|| Passages::Memory(HashMap::new()), Passages::Store);
        let (run, depth, limits) = (run.retrieved(), depth as usize, limits.parse());
        Self { run, passages, depth, limits, questions: Vec::new() }
    }

    #[napi(catch_unwind)]
    pub fn add_questions(&mut self, ids: Vec<String>, texts: Vec<String>) {
        self.questions.extend(ids.into_iter().zip(texts));
    }

    /// Adds passages, unless there is a store. An empty title means no title.
    #[napi(catch_unwind)]
    pub fn add_passages(&mut self, ids: Vec<String>, titles: Vec<String>, texts: Vec<String>) {
        if let Passages::Memory(passages) = &mut self.passages {
            for ((id, title), text) in ids.into_iter().zip(titles).zip(texts) {
                passages.insert(id, (Some(title).filter(|title| !title.is_empty()), text));
            }
        }
    }

    /// Reads the passages that the cache lacks. No question and no passage is left afterwards.
    #[napi(ts_return_type = "Promise<NativeReadings>", catch_unwind)]
    pub fn read<'env>(
        &mut self,
        env: &'env Env,
        reader: &NativeReader,
        cache: Option<&NativeReadingCache>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let control = control_or_new(control);
        let mut job = Job {
            model: reader.model().ok(),
            origin: Arc::clone(&reader.origin),
            limits: self.limits,
            cache: None,
            control: Arc::clone(&control),
        };
        if let Some(cache) = cache {
            job.cache = Some((cache.file()?, cache.identity.clone()));
        }
        let passages = std::mem::replace(&mut self.passages, Passages::Memory(HashMap::new()));
        let (run, depth, questions) = (self.run.clone(), self.depth, std::mem::take(&mut self.questions));
        spawn(env, move || {
            job.check()?;
            let run = run.to_run()?;
            let hits = |question: &str| {
                let hits = run.get(question).unwrap_or_default();
                &hits[..hits.len().min(depth)]
            };
            control.set_total(questions.iter().map(|(id, _)| hits(id).len() as u64).sum());
            let mut readings = Vec::with_capacity(questions.len());
            for (id, text) in &questions {
                let hits = hits(id);
                let inputs: Vec<ReaderPassage<'_>> =
                    hits.iter().map(|hit| passages.get(&hit.id)).collect::<CallResult<_>>()?;
                let stored = job.read(text, &inputs)?;
                let mut builder = QuestionBuilder::new();
                for ((hit, input), reading) in hits.iter().zip(&inputs).zip(&stored) {
                    builder.push(input.text, hit.score, reading)?;
                }
                readings.push(builder.finish());
            }
            let ids: Vec<String> = questions.into_iter().map(|(id, _)| id).collect();
            let positions = ids.iter().enumerate().map(|(at, id)| (id.clone(), at)).collect();
            Ok(NativeReadings { inner: Arc::new(RunReadings { ids, positions, readings, run }) })
        })
    }
}

/// Reads passages, unless the cache has their readings.
struct Job {
    /// None if the reader was closed: then the cache must have everything.
    model: Option<Arc<ReaderModel>>,
    origin: Arc<ReaderOrigin>,
    limits: SpanLimits,
    /// The cache, and the reader of its readings.
    cache: Option<(Arc<Mutex<ReadingCache>>, String)>,
    control: Arc<control::Control>,
}

/// Calls of the model between two writes to the cache: what is lost if the work is cancelled.
const MODEL_CALLS_PER_WRITE: usize = 4;

impl Job {
    /// Checks that the readings of the cache are of this reader, with these limits.
    fn check(&self) -> CallResult<()> {
        let Some((_, got)) = &self.cache else { return Ok(()) };
        let expected = reader_identity(&self.origin, self.limits)?;
        if *got == expected {
            return Ok(());
        }
        let message = format!("readRun: expected a cache of readings of {expected}, got one of {got}");
        Err(Failure::new("ERR_READER_MISMATCH", message))
    }

    /// The readings of passages, in their order: from the cache or, for those that it lacks, from the model.
    fn read(&self, question: &str, passages: &[ReaderPassage<'_>]) -> CallResult<Vec<StoredReading>> {
        let key = |passage: &ReaderPassage<'_>| ReadingKey::of(question, passage.title, passage.text);
        let lookup = self
            .cache
            .as_ref()
            .map(|(cache, _)| CacheLookup { cache, keys: passages.iter().map(key).collect() });
        let config = &self.origin.config;
        let group_len = MODEL_CALLS_PER_WRITE * (config.batch_tokens / config.max_tokens).max(4);
        read_through(lookup.as_ref(), passages.len(), group_len, &self.control, |group| {
            let model = self.model.as_ref().ok_or_else(|| Failure::closed("reader"))?;
            let inputs: Vec<ReaderPassage<'_>> = group.iter().map(|&at| passages[at]).collect();
            let outputs = model.read(question, &inputs, &self.control)?;
            let readings = group.iter().zip(&outputs).map(|(&at, windows)| {
                let windows: Vec<Window<'_>> = windows.iter().map(to_window).collect();
                Ok(StoredReading::new(at, &windows, self.limits)?)
            });
            readings.collect()
        })
    }
}
