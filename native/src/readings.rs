//! Readings of whole runs: read once, kept, scored as often as wanted.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use corpus::PassageStore;
use inference::{LongPassages, ReaderConfig, ReaderModel, ReaderPassage};
use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object, Uint8Array, Uint32Array};
use napi_derive::napi;
use ranking::Run;
use reading::{
    AnsweredQuestion, Evidence, EvidenceSearch, GridRange, KeptPassage, QuestionBuilder, QuestionReadings,
    ReadingCache, ReadingKey, Scoring, SpanLimits, Window, keep,
};

use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::evaluation::NativeTexts;
use crate::reading::{NativeReader, Opened, merge, scoring, window};
use crate::run::NativeRun;
use crate::task::{Outcome, call, spawn};

#[napi(object)]
pub struct NativeSpanLimits {
    pub spans_per_passage: u32,
    pub max_answer_tokens: u32,
}

impl NativeSpanLimits {
    fn limits(&self) -> SpanLimits {
        SpanLimits { spans: self.spans_per_passage as usize, tokens: self.max_answer_tokens as usize }
    }
}

/// An open file of readings.
#[napi]
pub struct NativeReadingCache {
    inner: Option<Arc<Mutex<ReadingCache>>>,
    identity: String,
}

/// Opens or creates the file for readings of this reader within these limits.
#[napi(ts_return_type = "Promise<NativeReadingCache>", catch_unwind)]
pub fn open_reading_cache<'env>(
    env: &'env Env,
    path: String,
    reader: &NativeReader,
    limits: NativeSpanLimits,
) -> napi::Result<Object<'env>> {
    let opened = Arc::clone(&reader.opened);
    spawn(env, move || {
        let identity = identity(&opened, limits.limits())?;
        let cache = ReadingCache::open(Path::new(&path), &identity)?;
        Ok(NativeReadingCache { inner: Some(Arc::new(Mutex::new(cache))), identity })
    })
}

#[napi]
impl NativeReadingCache {
    /// Readings in the file.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> napi::Result<f64> {
        call(|| {
            let cache = self.inner.as_ref().ok_or_else(|| Failure::closed("cache of readings"))?;
            Ok(cache.lock().unwrap_or_else(PoisonError::into_inner).len() as f64)
        })
    }

    /// Gives the file back; calls in progress finish.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.inner = None;
    }
}

/// All on which readings depend, in words; the files are read once for each reader.
fn identity(opened: &Opened, limits: SpanLimits) -> Outcome<String> {
    let files = match opened.digests.get() {
        Some(digests) => digests,
        None => {
            let model = Path::new(&opened.files.model);
            // Weights that exporters put beside the graph.
            let beside = [".data", "_data"].map(|end| format!("{}{end}", opened.files.model));
            let beside = beside.iter().map(Path::new).filter(|path| path.is_file());
            let model = reading::files_sha256(&std::iter::once(model).chain(beside).collect::<Vec<_>>())?;
            let tokenizer = reading::files_sha256(&[Path::new(&opened.files.tokenizer)])?;
            opened.digests.get_or_init(|| format!("model {model}, tokenizer {tokenizer}"))
        }
    };
    // Named one by one, so that a new field has to be thought of here. Batches change an int8 model's logits a little, but
    // two readings of a passage may be of different batches anyway.
    let ReaderConfig { max_tokens, max_question_tokens, batch_tokens: _, long_passages, titles, open_ended } =
        opened.config;
    let SpanLimits { spans, tokens } = limits;
    let long = match long_passages {
        LongPassages::Cut => "cut".to_owned(),
        LongPassages::Windows { overlap_tokens: None } => "window".to_owned(),
        LongPassages::Windows { overlap_tokens: Some(tokens) } => format!("window, overlapTokens {tokens}"),
    };
    let titles = titles.map_or(String::new(), |titles| format!(", titles {titles}"));
    let form = if open_ended { ", open-ended" } else { "" };
    let passage = format!(
        "maxTokens {max_tokens}, maxQuestionTokens {max_question_tokens}, longPassages {long}{titles}{form}"
    );
    Ok(format!("{files}, {passage}, spansPerPassage {spans}, maxAnswerTokens {tokens}"))
}

/// Digests of a reader's files, once they are known.
pub type Digests = OnceLock<String>;

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
    fn read(&self, question: &str, passages: &[ReaderPassage<'_>]) -> Outcome<Vec<KeptPassage>> {
        let keys: Vec<ReadingKey> = match &self.cache {
            Some(_) => {
                let key = |passage: &ReaderPassage<'_>| ReadingKey::of(question, passage.title, passage.text);
                passages.iter().map(key).collect()
            }
            None => Vec::new(),
        };
        let mut kept: Vec<Option<KeptPassage>> = vec![None; passages.len()];
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
                let reading = keep(at, &windows, self.limits)?;
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

struct ReadRun {
    ids: Vec<String>,
    positions: HashMap<String, usize>,
    readings: Vec<QuestionReadings>,
    run: Arc<Run>,
}

/// What a reader said of the passages of a run.
#[napi]
pub struct NativeReadings {
    inner: Arc<ReadRun>,
}

#[napi(object)]
pub struct NativeScoring {
    pub scoring: String,
    pub beta: f64,
    pub gamma: f64,
    pub merge: String,
}

impl NativeScoring {
    fn parse(&self) -> Outcome<Scoring> {
        let evidence = Evidence { beta: self.beta, gamma: self.gamma };
        Ok(Scoring { spans: scoring(&self.scoring)?, evidence, merge: merge(&self.merge)? })
    }
}

/// The best answer of each question that has one, by columns.
#[napi(object)]
pub struct AnswerColumns {
    /// Positions of the questions.
    pub questions: Uint32Array,
    pub texts: Vec<String>,
    pub passage_ids: Vec<String>,
    /// UTF-16 code units of the passage's text, half-open.
    pub starts: Uint32Array,
    pub ends: Uint32Array,
    pub scores: Float64Array,
}

#[napi]
impl NativeReadings {
    /// Passages read for each question.
    #[napi(catch_unwind)]
    pub fn depths(&self) -> Uint32Array {
        self.inner.readings.iter().map(|read| read.len() as u32).collect::<Vec<_>>().into()
    }

    /// Of up to `count` questions from position `first` on.
    #[napi(ts_return_type = "Promise<AnswerColumns>", catch_unwind)]
    pub fn answers<'env>(
        &self,
        env: &'env Env,
        scoring: NativeScoring,
        passages: u32,
        first: u32,
        count: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (read, control) = (Arc::clone(&self.inner), or_new(control));
        spawn(env, move || {
            let all = &read.readings;
            let first = (first as usize).min(all.len());
            let some = &all[first..all.len().min(first + count as usize)];
            let best = reading::best_answers(some, scoring.parse()?, passages as usize, &control)?;
            let (mut questions, mut texts, mut passage_ids) = (Vec::new(), Vec::new(), Vec::new());
            let (mut starts, mut ends, mut scores) = (Vec::new(), Vec::new(), Vec::new());
            for (question, best) in (first..).zip(best) {
                let Some(best) = best else { continue };
                questions.push(question as u32);
                texts.push(best.text.to_owned());
                let hits = read.run.get(&read.ids[question]).unwrap_or_default();
                passage_ids.push(hits[best.passage].id.clone());
                starts.push(best.units.start as u32);
                ends.push(best.units.end as u32);
                scores.push(best.score);
            }
            Ok(AnswerColumns {
                questions: questions.into(),
                texts,
                passage_ids,
                starts: starts.into(),
                ends: ends.into(),
                scores: scores.into(),
            })
        })
    }
}

/// Where weights are looked for.
#[napi(object)]
pub struct NativeEvidenceSearch {
    pub scoring: String,
    pub merge: String,
    pub passages: Vec<u32>,
    /// From and to.
    pub beta: Vec<f64>,
    /// Of γ under `original`, else of δ.
    pub weight: Vec<f64>,
    pub threads: u32,
}

/// All that was tried, by columns; `right` counts questions.
#[napi(object)]
pub struct NativeTunedEvidence {
    pub betas: Float64Array,
    pub gammas: Float64Array,
    pub passages: Uint32Array,
    pub right: Uint32Array,
    /// Position of the best.
    pub best: u32,
}

/// Judges readings by accepted answers.
#[napi]
pub struct ReadingsJudge {
    readings: Arc<ReadRun>,
    questions: Vec<(String, Vec<String>)>,
}

#[napi]
impl ReadingsJudge {
    #[napi(constructor, catch_unwind)]
    pub fn new(readings: &NativeReadings) -> Self {
        Self { readings: Arc::clone(&readings.inner), questions: Vec::new() }
    }

    #[napi(catch_unwind)]
    pub fn add(&mut self, ids: Vec<String>, accepted: Vec<Vec<String>>) {
        self.questions.extend(ids.into_iter().zip(accepted));
    }

    /// `[passages, questions]`: 1 where the best answer is an accepted one. No question is left afterwards.
    #[napi(ts_return_type = "Promise<Uint8Array>", catch_unwind)]
    pub fn exact_matches<'env>(
        &mut self,
        env: &'env Env,
        scoring: NativeScoring,
        passages: Vec<u32>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (read, questions) = (Arc::clone(&self.readings), std::mem::take(&mut self.questions));
        let control = or_new(control);
        spawn(env, move || {
            let questions = answered(&read, &questions)?;
            let passages: Vec<usize> = passages.iter().map(|&passages| passages as usize).collect();
            let right = reading::exact_matches(&questions, scoring.parse()?, &passages, &control)?;
            Ok(Uint8Array::from(right.into_iter().flatten().map(u8::from).collect::<Vec<u8>>()))
        })
    }

    /// No question is left afterwards.
    #[napi(ts_return_type = "Promise<NativeTunedEvidence>", catch_unwind)]
    pub fn tune<'env>(
        &mut self,
        env: &'env Env,
        search: NativeEvidenceSearch,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (read, questions) = (Arc::clone(&self.readings), std::mem::take(&mut self.questions));
        let control = or_new(control);
        spawn(env, move || {
            let questions = answered(&read, &questions)?;
            let range = |values: &[f64]| match values {
                &[from, to] => Ok(GridRange { from, to }),
                _ => Err(Failure::argument("tuneEvidence: expected ranges of two numbers")),
            };
            let search = EvidenceSearch {
                spans: scoring(&search.scoring)?,
                merge: merge(&search.merge)?,
                passages: search.passages.iter().map(|&passages| passages as usize).collect(),
                beta: range(&search.beta)?,
                weight: range(&search.weight)?,
                threads: search.threads as usize,
            };
            let tuned = reading::tune_evidence(&questions, &search, &control)?;
            let best = tuned.trials.iter().position(|trial| *trial == tuned.best);
            let trials = &tuned.trials;
            Ok(NativeTunedEvidence {
                betas: trials.iter().map(|trial| trial.evidence.beta).collect::<Vec<_>>().into(),
                gammas: trials.iter().map(|trial| trial.evidence.gamma).collect::<Vec<_>>().into(),
                passages: trials.iter().map(|trial| trial.passages as u32).collect::<Vec<_>>().into(),
                right: trials.iter().map(|trial| trial.right as u32).collect::<Vec<_>>().into(),
                best: best.expect("the best is one of them") as u32,
            })
        })
    }
}

fn answered<'a>(
    read: &'a ReadRun,
    questions: &'a [(String, Vec<String>)],
) -> Outcome<Vec<AnsweredQuestion<'a>>> {
    let answered: Vec<AnsweredQuestion<'a>> = questions
        .iter()
        .map(|(id, accepted)| AnsweredQuestion {
            readings: read.positions.get(id).map(|&at| &read.readings[at]),
            accepted,
        })
        .collect();
    match (questions.first(), read.ids.first()) {
        (Some((asked, _)), Some(known)) if answered.iter().all(|question| question.readings.is_none()) => {
            Err(Failure::argument(format!(
                "questions: expected some that were read, got none of them: the readings begin with \"{known}\", the questions with \"{asked}\""
            )))
        }
        _ => Ok(answered),
    }
}
