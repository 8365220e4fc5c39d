use std::sync::Arc;

use inference::{LongPassages, PassageLogits, ReaderConfig, ReaderForm, ReaderModel, ReaderPassage};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use reading::{Evidence, Merge, PassageReading, ReadOptions, Relevance, SpanLimits, SpanScoring, Window};

use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::inference::ModelFiles;
use crate::readings::Digests;
use crate::task::{Outcome, spawn};

#[napi(object)]
pub struct NativeReaderOptions {
    pub max_tokens: u32,
    pub max_question_tokens: u32,
    pub batch_tokens: u32,
    /// `window` or `cut`.
    pub long_passages: String,
    pub overlap_tokens: Option<u32>,
    pub titles: Option<bool>,
    pub open_ended: bool,
}

/// A passage to be read.
#[napi(object)]
pub struct RetrievedPassage {
    pub title: Option<String>,
    pub text: String,
    pub score: f64,
}

#[napi(object)]
pub struct NativeReadOptions {
    pub scoring: String,
    pub spans_per_passage: u32,
    pub max_answer_tokens: u32,
    pub beta: f64,
    pub gamma: f64,
    pub merge: String,
    pub k: u32,
}

#[napi(object)]
pub struct NativeAnswer {
    pub text: String,
    /// Position of the passage in the list read.
    pub passage: u32,
    /// UTF-16 code units of the passage's text, half-open.
    pub start: u32,
    pub end: u32,
    pub score: f64,
}

/// An open reader.
#[napi]
pub struct NativeReader {
    pub(crate) inner: Option<Arc<ReaderModel>>,
    pub(crate) opened: Arc<Opened>,
}

/// What a reader was opened with; it tells readers apart whose readings are kept.
pub struct Opened {
    pub files: ModelFiles,
    pub config: ReaderConfig,
    pub digests: Digests,
}

/// Opens a model as a reader.
#[napi(ts_return_type = "Promise<NativeReader>", catch_unwind)]
pub fn open_reader<'env>(
    env: &'env Env,
    files: ModelFiles,
    options: NativeReaderOptions,
) -> napi::Result<Object<'env>> {
    spawn(env, move || {
        let (session, tokenizer) = files.open()?;
        let config = ReaderConfig {
            max_tokens: options.max_tokens as usize,
            max_question_tokens: options.max_question_tokens as usize,
            batch_tokens: options.batch_tokens as usize,
            long_passages: match options.long_passages.as_str() {
                "window" => {
                    let overlap_tokens = options.overlap_tokens.map(|tokens| tokens as usize);
                    LongPassages::Windows { overlap_tokens }
                }
                "cut" => LongPassages::Cut,
                other => {
                    return Err(Failure::argument(format!(
                        "longPassages: expected window or cut, got \"{other}\""
                    )));
                }
            },
            titles: options.titles,
            open_ended: options.open_ended,
        };
        let model = ReaderModel::new(session, tokenizer, config)?;
        let opened = Opened { files, config, digests: Digests::new() };
        Ok(NativeReader { inner: Some(Arc::new(model)), opened: Arc::new(opened) })
    })
}

#[napi]
impl NativeReader {
    /// `dpr` or `question-answering`.
    #[napi(getter, catch_unwind)]
    pub fn form(&self) -> napi::Result<String> {
        let model = self.inner.as_ref().ok_or_else(|| Failure::closed("reader"))?;
        Ok(match model.form() {
            ReaderForm::Dpr { .. } => "dpr",
            ReaderForm::QuestionAnswering => "question-answering",
        }
        .to_owned())
    }

    /// Answers, best first.
    #[napi(ts_return_type = "Promise<Array<NativeAnswer>>", catch_unwind)]
    pub fn read<'env>(
        &self,
        env: &'env Env,
        question: String,
        passages: Vec<RetrievedPassage>,
        options: NativeReadOptions,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let model = self.inner.clone();
        let control = or_new(control);
        spawn(env, move || {
            let model = model.ok_or_else(|| Failure::closed("reader"))?;
            read(&model, &question, &passages, &options, &control)
        })
    }

    /// Gives the session back; calls in progress finish.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.inner = None;
    }
}

fn read(
    model: &ReaderModel,
    question: &str,
    passages: &[RetrievedPassage],
    options: &NativeReadOptions,
    control: &control::Control,
) -> Outcome<Vec<NativeAnswer>> {
    let chosen = ReadOptions {
        scoring: scoring(&options.scoring)?,
        limits: SpanLimits {
            max_spans: options.spans_per_passage as usize,
            max_tokens: options.max_answer_tokens as usize,
        },
        evidence: Evidence { beta: options.beta, gamma: options.gamma },
        merge: merge(&options.merge)?,
    };
    let inputs: Vec<ReaderPassage<'_>> = passages
        .iter()
        .map(|passage| ReaderPassage { title: passage.title.as_deref(), text: &passage.text })
        .collect();
    let windows = model.read(question, &inputs, control)?;
    let readings: Vec<PassageReading<'_>> = passages
        .iter()
        .zip(&windows)
        .map(|(passage, windows)| PassageReading {
            text: &passage.text,
            retrieval_score: passage.score as f32,
            windows: windows.iter().map(window).collect(),
        })
        .collect();
    let mut answers = reading::answers(&readings, &chosen)?;
    answers.truncate(options.k as usize);
    let utf16 = |text: &str| text.encode_utf16().count() as u32;
    Ok(answers
        .into_iter()
        .map(|answer| {
            let text = &passages[answer.passage].text;
            let start = utf16(&text[..answer.bytes.start]);
            let end = start + utf16(&answer.text);
            NativeAnswer {
                text: answer.text,
                passage: answer.passage as u32,
                start,
                end,
                score: answer.score,
            }
        })
        .collect())
}

/// What the reader said, as spans are taken out of it.
pub fn window(logits: &PassageLogits) -> Window<'_> {
    Window {
        relevance: match logits.relevance {
            inference::Relevance::Logit(logit) => Relevance::Logit(logit),
            inference::Relevance::NoAnswer(score) => Relevance::NoAnswer(score),
        },
        start: &logits.start,
        end: &logits.end,
        offsets: &logits.offsets,
        words: &logits.words,
    }
}

pub fn scoring(name: &str) -> Outcome<SpanScoring> {
    match name {
        "original" => Ok(SpanScoring::Original),
        "normalized" => Ok(SpanScoring::Normalized),
        "probability" => Ok(SpanScoring::Probability),
        "summedProbability" => Ok(SpanScoring::SummedProbability),
        other => {
            let expected = "original, normalized, probability or summedProbability";
            Err(Failure::argument(format!("scoring: expected {expected}, got \"{other}\"")))
        }
    }
}

pub fn merge(name: &str) -> Outcome<Merge> {
    match name {
        "text" => Ok(Merge::Text),
        "normalized" => Ok(Merge::Normalized),
        other => Err(Failure::argument(format!("merge: expected text or normalized, got \"{other}\""))),
    }
}
