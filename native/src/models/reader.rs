//! Readers: a question and passages to answers.

use std::sync::{Arc, OnceLock};

use inference::{LongPassages, PassageLogits, ReaderConfig, ReaderForm, ReaderModel, ReaderPassage};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use reading::{Evidence, PassageReading, ReadOptions, Relevance, SpanLimits, Window};

use super::model_files::ModelFiles;
use super::reader_options::{parse_merge, parse_scoring};
use crate::call::{CallResult, Control, Failure, control_or_new, spawn};

/// How questions and passages become inputs of the model.
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

/// A passage to read.
#[napi(object)]
pub struct RetrievedPassage {
    pub title: Option<String>,
    pub text: String,
    pub score: f64,
}

/// How answers are scored and selected.
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

/// An answer and where it stands.
#[napi(object)]
pub struct NativeAnswer {
    pub text: String,
    /// Position of the passage among those read.
    pub passage: u32,
    /// Half-open range of UTF-16 code units of the passage's text.
    pub start: u32,
    pub end: u32,
    pub score: f64,
}

/// An open reader.
#[napi]
pub struct NativeReader {
    /// None once it is closed.
    model: Option<Arc<ReaderModel>>,
    pub(crate) origin: Arc<ReaderOrigin>,
}

/// What a reader was opened with. A cache of readings is only valid for one origin.
pub struct ReaderOrigin {
    pub files: ModelFiles,
    pub config: ReaderConfig,
    /// Hashes of the files, computed when they are first needed.
    pub file_hashes: OnceLock<String>,
}

impl NativeReader {
    pub fn model(&self) -> CallResult<Arc<ReaderModel>> {
        self.model.clone().ok_or_else(|| Failure::closed("reader"))
    }
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
        let origin = ReaderOrigin { files, config, file_hashes: OnceLock::new() };
        Ok(NativeReader { model: Some(Arc::new(model)), origin: Arc::new(origin) })
    })
}

#[napi]
impl NativeReader {
    /// `dpr` or `question-answering`.
    #[napi(getter, catch_unwind)]
    pub fn form(&self) -> napi::Result<String> {
        let model = self.model()?;
        Ok(match model.form() {
            ReaderForm::Dpr { .. } => "dpr",
            ReaderForm::QuestionAnswering => "question-answering",
        }
        .to_owned())
    }

    /// Extracts answers from passages, best first.
    #[napi(ts_return_type = "Promise<Array<NativeAnswer>>", catch_unwind)]
    pub fn read<'env>(
        &self,
        env: &'env Env,
        question: String,
        passages: Vec<RetrievedPassage>,
        options: NativeReadOptions,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let model = self.model();
        let control = control_or_new(control);
        spawn(env, move || read(&*model?, &question, &passages, &options, &control))
    }

    /// Closes the session once calls in progress have finished.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.model = None;
    }
}

fn read(
    model: &ReaderModel,
    question: &str,
    passages: &[RetrievedPassage],
    options: &NativeReadOptions,
    control: &control::Control,
) -> CallResult<Vec<NativeAnswer>> {
    let chosen = ReadOptions {
        scoring: parse_scoring(&options.scoring)?,
        limits: SpanLimits {
            max_spans: options.spans_per_passage as usize,
            max_tokens: options.max_answer_tokens as usize,
        },
        evidence: Evidence { beta: options.beta, gamma: options.gamma },
        merge: parse_merge(&options.merge)?,
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
            windows: windows.iter().map(to_window).collect(),
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

/// The output of a reader for one window, in the form that spans are extracted from.
pub fn to_window(logits: &PassageLogits) -> Window<'_> {
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
