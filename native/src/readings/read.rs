use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use corpus::PassageStore;
use inference::{ReaderModel, ReaderPassage};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use reading::{QuestionBuilder, ReadingCache, ReadingKey, SpanLimits, StoredReading, Window};

use super::cache::{NativeReadingCache, NativeSpanLimits, identity};
use super::{NativeReadings, ReadRun};
use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::evaluation::NativeTexts;
use crate::reading::{NativeReader, Opened, window};
use crate::run::NativeRun;
use crate::task::{Outcome, spawn};

enum Passages {
    Store(Arc<PassageStore>),
    /// Title and text.
    Memory(HashMap<String, (Option<String>, String)>),
}

impl Passages {
    fn get(&self, id: &str) -> Outcome<ReaderPassage<'_>> {
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

/// Takes what is to be read from JavaScript, a slice at a time.
#[napi]
pub struct RunReader {
    run: NativeRun,
    passages: Passages,
    depth: usize,
    limits: SpanLimits,
    questions: Vec<(String, String)>,
}

#[napi]
impl RunReader {
    /// `texts` of a store, or none where passages are added.
    #[napi(constructor, catch_unwind)]
    pub fn new(run: &NativeRun, texts: Option<&NativeTexts>, depth: u32, limits: NativeSpanLimits) -> Self {
        let store = texts.and_then(NativeTexts::store);
        let passages = store.map_or_else(|| Passages::Memory(HashMap::new()), Passages::Store);
        let (run, depth, limits) = (run.clone(), depth as usize, limits.limits());
        Self { run, passages, depth, limits, questions: Vec::new() }
    }

    #[napi(catch_unwind)]
    pub fn add_questions(&mut self, ids: Vec<String>, texts: Vec<String>) {
        self.questions.extend(ids.into_iter().zip(texts));
    }

    /// An empty title is none.
    #[napi(catch_unwind)]
    pub fn add_passages(&mut self, ids: Vec<String>, titles: Vec<String>, texts: Vec<String>) {
        if let Passages::Memory(passages) = &mut self.passages {
            for ((id, title), text) in ids.into_iter().zip(titles).zip(texts) {
                passages.insert(id, (Some(title).filter(|title| !title.is_empty()), text));
            }
        }
    }

    /// Reads what the cache lacks. Nothing is left to read afterwards.
    #[napi(ts_return_type = "Promise<NativeReadings>", catch_unwind)]
    pub fn read<'env>(
        &mut self,
        env: &'env Env,
        reader: &NativeReader,
        cache: Option<&NativeReadingCache>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let control = or_new(control);
        let mut job = Job {
            model: reader.inner.clone(),
            opened: Arc::clone(&reader.opened),
            limits: self.limits,
            cache: None,
            control: Arc::clone(&control),
        };
        if let Some(cache) = cache {
            let Some(file) = &cache.inner else { return Err(Failure::closed("cache of readings").into()) };
            job.cache = Some((Arc::clone(file), cache.identity.clone()));
        }
        let passages = std::mem::replace(&mut self.passages, Passages::Memory(HashMap::new()));
        let (run, depth, questions) = (self.run.clone(), self.depth, std::mem::take(&mut self.questions));
        spawn(env, move || {
            job.check()?;
            let run = run.named()?;
            let hits = |question: &str| {
                let hits = run.get(question).unwrap_or_default();
                &hits[..hits.len().min(depth)]
            };
            control.set_total(questions.iter().map(|(id, _)| hits(id).len() as u64).sum());
            let mut readings = Vec::with_capacity(questions.len());
            for (id, text) in &questions {
                let hits = hits(id);
                let inputs: Vec<ReaderPassage<'_>> =
                    hits.iter().map(|hit| passages.get(&hit.id)).collect::<Outcome<_>>()?;
                let kept = job.read(text, &inputs)?;
                let mut builder = QuestionBuilder::new();
                for ((hit, input), kept) in hits.iter().zip(&inputs).zip(&kept) {
                    builder.push(input.text, hit.score, kept)?;
                }
                readings.push(builder.finish());
            }
            let ids: Vec<String> = questions.into_iter().map(|(id, _)| id).collect();
            let positions = ids.iter().enumerate().map(|(at, id)| (id.clone(), at)).collect();
            Ok(NativeReadings { inner: Arc::new(ReadRun { ids, positions, readings, run }) })
        })
    }
}

/// Reads passages, unless they were read before.
struct Job {
    model: Option<Arc<ReaderModel>>,
    opened: Arc<Opened>,
    limits: SpanLimits,
    cache: Option<(Arc<Mutex<ReadingCache>>, String)>,
    control: Arc<control::Control>,
}

/// Runs of the model between two writes to the cache: what a call that is cancelled loses, at most.
const RUNS: usize = 4;

impl Job {
    /// Whether the cache is one of this reader and these limits.
    fn check(&self) -> Outcome<()> {
        let Some((_, got)) = &self.cache else { return Ok(()) };
        let expected = identity(&self.opened, self.limits)?;
        if *got == expected {
            return Ok(());
        }
        let message = format!("readRun: expected a cache of readings of {expected}, got one of {got}");
        Err(Failure::new("ERR_READER_MISMATCH", message))
    }

    /// What is said of each passage, in their order.
    fn read(&self, question: &str, passages: &[ReaderPassage<'_>]) -> Outcome<Vec<StoredReading>> {
        let keys: Vec<ReadingKey> = match &self.cache {
            Some(_) => {
                let key = |passage: &ReaderPassage<'_>| ReadingKey::of(question, passage.title, passage.text);
                passages.iter().map(key).collect()
            }
            None => Vec::new(),
        };
        let mut kept: Vec<Option<StoredReading>> = vec![None; passages.len()];
        if let Some((cache, _)) = &self.cache {
            for (kept, &key) in kept.iter_mut().zip(&keys) {
                self.control.check()?;
                *kept = cache.lock().unwrap_or_else(PoisonError::into_inner).get(key)?;
            }
        }
        let missing: Vec<usize> = (0..passages.len()).filter(|&at| kept[at].is_none()).collect();
        self.control.advance((passages.len() - missing.len()) as u64);
        let config = &self.opened.config;
        let group = RUNS * (config.batch_tokens / config.max_tokens).max(4);
        for missing in missing.chunks(group) {
            let model = self.model.as_ref().ok_or_else(|| Failure::closed("reader"))?;
            let inputs: Vec<ReaderPassage<'_>> = missing.iter().map(|&at| passages[at]).collect();
            let mut records = Vec::with_capacity(missing.len());
            for (&at, windows) in missing.iter().zip(&model.read(question, &inputs, &self.control)?) {
                let windows: Vec<Window<'_>> = windows.iter().map(window).collect();
                let reading = StoredReading::new(at, &windows, self.limits)?;
                if let Some(&key) = keys.get(at) {
                    records.push((key, reading.clone()));
                }
                kept[at] = Some(reading);
            }
            if let Some((cache, _)) = &self.cache {
                cache.lock().unwrap_or_else(PoisonError::into_inner).append(&records)?;
            }
        }
        Ok(kept.into_iter().map(|kept| kept.expect("all were read")).collect())
    }
}
