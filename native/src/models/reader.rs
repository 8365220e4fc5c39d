//! Readers, which find answers to a question in passages.

use std::path::PathBuf;
use std::sync::Arc;

use inference::{LongPassages, ReaderConfig, ReaderForm, ReaderModel, ReaderPassage};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use pipelines::{AnswerOptions, PassageAnswer, ReaderOrigin, ScoredPassage};
use reading::{Evidence, ReadOptions, SpanLimits};

use super::model_files::{ModelFiles, runtime_name};
use super::reader_options::{parse_merge, parse_scoring};
use crate::call::{CallResult, Control, Failure, control_or_new, spawn};

/// How questions and passages become inputs of the model.
#[napi(object)]
pub struct NativeReaderOptions {
    /// Maximum number of tokens of an input, special tokens included.
    pub max_tokens: u32,
    pub max_question_tokens: u32,
    /// Maximum number of tokens in a batch, padding included.
    pub batch_tokens: u32,
    /// `window` (read in overlapping windows) or `cut` (truncated).
    pub long_passages: String,
    /// Minimum number of tokens that consecutive windows share. By default 64, or a quarter of the text tokens that fit
    /// in a window if that is less.
    pub overlap_tokens: Option<u32>,
    /// Whether titles are part of the input. By default, they are for DPR readers only.
    pub titles: Option<bool>,
    /// Whether inputs for DPR's reader have no separator after the text, as in DPR's code.
    pub open_ended: bool,
}

/// A retrieved passage, which the reader reads.
#[napi(object)]
pub struct RetrievedPassage {
    pub title: Option<String>,
    pub text: String,
    /// The retrieval score.
    pub score: f64,
}

impl RetrievedPassage {
    fn borrow(&self) -> ScoredPassage<'_> {
        let passage = ReaderPassage { title: self.title.as_deref(), text: &self.text };
        ScoredPassage { passage, score: self.score as f32 }
    }
}

/// How answers are scored and selected.
#[napi(object)]
pub struct NativeReadOptions {
    /// How spans are scored: `original`, `normalized`, `probability` or `summedProbability`.
    pub scoring: String,
    /// Maximum number of spans that are scored in each passage.
    pub spans_per_passage: u32,
    pub max_answer_tokens: u32,
    /// Weight of the reader's relevance logit.
    pub beta: f64,
    /// Weight of the retrieval score.
    pub gamma: f64,
    /// Which spans are the same answer: those with equal texts (`text`) or with equal normalized texts (`normalized`).
    pub merge: String,
    /// Maximum number of answers.
    pub k: u32,
}

/// An answer and its place in the text of its passage.
#[napi(object)]
pub struct NativeAnswer {
    pub text: String,
    /// Position of the passage in the list of passages that were read, from 0.
    pub passage: u32,
    /// Half-open range of UTF-16 code units of the passage's text.
    pub start: u32,
    pub end: u32,
    pub score: f64,
}

impl From<PassageAnswer> for NativeAnswer {
    fn from(PassageAnswer { text, passage, utf16_range, score }: PassageAnswer) -> Self {
        let (start, end) = (utf16_range.start as u32, utf16_range.end as u32);
        Self { text, passage: passage as u32, start, end, score }
    }
}

/// An open reader.
#[napi]
pub struct NativeReader {
    /// `None` once the reader is closed.
    model: Option<Arc<ReaderModel>>,
    /// The files and options that the reader was opened with, which identify its readings in a cache.
    pub(crate) origin: Arc<ReaderOrigin>,
}

impl NativeReader {
    /// Returns the model. Fails with `ERR_CLOSED` if the reader is closed.
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
        let (model_file, tokenizer_file) = (PathBuf::from(files.model), PathBuf::from(files.tokenizer));
        let origin = ReaderOrigin::new(model_file, tokenizer_file, config);
        Ok(NativeReader { model: Some(Arc::new(model)), origin: Arc::new(origin) })
    })
}

#[napi]
impl NativeReader {
    /// What runs the model: `passagekit` or `onnxruntime`.
    #[napi(getter, catch_unwind)]
    pub fn runtime(&self) -> napi::Result<String> {
        Ok(runtime_name(self.model()?.runtime()))
    }

    /// What the model was trained as: `dpr` (a DPR reader) or `question-answering`.
    #[napi(getter, catch_unwind)]
    pub fn form(&self) -> napi::Result<String> {
        let model = self.model()?;
        Ok(match model.form() {
            ReaderForm::Dpr { .. } => "dpr",
            ReaderForm::QuestionAnswering => "question-answering",
        }
        .to_owned())
    }

    /// Extracts answers from passages, best answer first.
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

    /// Closes the reader. Its memory is freed once calls in progress have finished.
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
    let read_options = ReadOptions {
        scoring: parse_scoring(&options.scoring)?,
        limits: SpanLimits {
            max_spans: options.spans_per_passage as usize,
            max_tokens: options.max_answer_tokens as usize,
        },
        evidence: Evidence { beta: options.beta, gamma: options.gamma },
        merge: parse_merge(&options.merge)?,
    };
    let passages: Vec<ScoredPassage<'_>> = passages.iter().map(RetrievedPassage::borrow).collect();
    let options = AnswerOptions { read_options, k: options.k as usize };
    let answers = pipelines::answer(model, question, &passages, &options, control)?;
    Ok(answers.into_iter().map(NativeAnswer::from).collect())
}
