//! The trainer of readers.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use inference::ReaderPassage;
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array, Uint32Array};
use napi_derive::napi;
use pipelines::{QuestionPassages, ReaderTraining, WindowLabeler};
use reading::{Evidence, Merge, ReadOptions, SpanLimits, SpanScoring};

use super::lists::lists;
use super::lock;
use super::options::{NativeReaderTrainingOptions, NativeStepReport, parse_precision, reader_config};
use crate::call::{CallResult, Control, Failure, control_or_new, drop_elsewhere, spawn};

/// Questions with their passages, in columns.
#[napi(object)]
pub struct NativeReaderQuestions {
    pub questions: Vec<String>,
    /// The end of each question's answers in `answers`.
    pub answer_ends: Uint32Array,
    pub answers: Vec<String>,
    /// The end of each question's passages in `titles` and `texts`.
    pub passage_ends: Uint32Array,
    /// An empty title means no title.
    pub titles: Vec<String>,
    pub texts: Vec<String>,
}

/// The strings of questions and passages, and where they belong.
struct Questions {
    questions: Vec<String>,
    answer_ends: Vec<u32>,
    answers: Vec<String>,
    passage_ends: Vec<u32>,
    titles: Vec<String>,
    texts: Vec<String>,
}

impl From<NativeReaderQuestions> for Questions {
    fn from(from: NativeReaderQuestions) -> Self {
        let NativeReaderQuestions { questions, answer_ends, answers, passage_ends, titles, texts } = from;
        let (answer_ends, passage_ends) = (answer_ends.to_vec(), passage_ends.to_vec());
        Self { questions, answer_ends, answers, passage_ends, titles, texts }
    }
}

impl Questions {
    fn borrow(&self) -> CallResult<Vec<QuestionPassages<'_>>> {
        let count = self.questions.len();
        if self.answer_ends.len() != count || self.passage_ends.len() != count {
            return Err(Failure::argument(format!(
                "questions: expected {count} lists of answers and passages"
            )));
        }
        let answers: Vec<&str> = self.answers.iter().map(String::as_str).collect();
        let mut passages = Vec::with_capacity(self.texts.len());
        for (text, title) in self.texts.iter().zip(&self.titles) {
            passages.push(ReaderPassage { text, title: (!title.is_empty()).then_some(title) });
        }
        let answers = lists(&self.answer_ends, &answers)?;
        let passages = lists(&self.passage_ends, &passages)?;
        let lists = answers.into_iter().zip(passages);
        let mut questions = Vec::with_capacity(count);
        for (question, (answers, passages)) in self.questions.iter().zip(lists) {
            questions.push(QuestionPassages { question, answers, passages });
        }
        Ok(questions)
    }
}

/// Finds answers in passages, as the training of a reader does.
#[napi]
pub struct NativeWindowLabeler {
    inner: Arc<WindowLabeler>,
}

/// Opens the tokenizer of a model.
#[napi(ts_return_type = "Promise<NativeWindowLabeler>", catch_unwind)]
pub fn open_window_labeler<'env>(
    env: &'env Env,
    folder: String,
    max_tokens: u32,
    max_question_tokens: u32,
) -> napi::Result<Object<'env>> {
    spawn(env, move || {
        let config = reader_config(max_tokens, max_question_tokens);
        Ok(NativeWindowLabeler { inner: Arc::new(WindowLabeler::open(&PathBuf::from(folder), config)?) })
    })
}

#[napi]
impl NativeWindowLabeler {
    /// For each passage, returns 1 if it contains an answer to its question that training can use, else 0.
    #[napi(ts_return_type = "Promise<Uint8Array>", catch_unwind)]
    pub fn with_answer<'env>(
        &self,
        env: &'env Env,
        questions: NativeReaderQuestions,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (labeler, control, questions) =
            (Arc::clone(&self.inner), control_or_new(control), Questions::from(questions));
        spawn(env, move || {
            let found = labeler.with_answer(&questions.borrow()?, &control)?;
            Ok(Uint8Array::from(found.into_iter().flatten().map(u8::from).collect::<Vec<_>>()))
        })
    }
}

/// A reader that is trained.
#[napi]
pub struct NativeReaderTrainer {
    /// `None` once the trainer is closed.
    inner: Option<Arc<Mutex<ReaderTraining>>>,
    /// The questions of the next step.
    batch: Vec<Questions>,
}

impl NativeReaderTrainer {
    fn trainer(&self) -> CallResult<Arc<Mutex<ReaderTraining>>> {
        self.inner.clone().ok_or_else(|| Failure::closed("trainer"))
    }
}

/// Opens the model in a folder for training as a reader.
#[napi(ts_return_type = "Promise<NativeReaderTrainer>", catch_unwind)]
pub fn open_reader_trainer<'env>(
    env: &'env Env,
    folder: String,
    options: NativeReaderTrainingOptions,
) -> napi::Result<Object<'env>> {
    spawn(env, move || {
        let trainer = ReaderTraining::open(&PathBuf::from(folder), &options.parse())?;
        Ok(NativeReaderTrainer { inner: Some(Arc::new(Mutex::new(trainer))), batch: Vec::new() })
    })
}

#[napi]
impl NativeReaderTrainer {
    /// Adds questions to the batch of the next step. The first passage of each question is its positive.
    #[napi(catch_unwind)]
    pub fn add_questions(&mut self, questions: NativeReaderQuestions) {
        self.batch.push(Questions::from(questions));
    }

    /// Makes a step with the questions that were added.
    #[napi(ts_return_type = "Promise<NativeStepReport>", catch_unwind)]
    pub fn step<'env>(&mut self, env: &'env Env, control: Option<&Control>) -> napi::Result<Object<'env>> {
        let (trainer, control) = (self.trainer(), control_or_new(control));
        let batch = std::mem::take(&mut self.batch);
        spawn(env, move || {
            let trainer = trainer?;
            let questions = batch.iter().map(Questions::borrow).collect::<CallResult<Vec<_>>>()?.concat();
            Ok(NativeStepReport::from(lock(&trainer).step(&questions, &control)?))
        })
    }

    /// Returns the best answer to each question, with the scoring `normalized`; an empty string if there is none.
    /// Progress counts questions.
    #[napi(ts_return_type = "Promise<Array<string>>", catch_unwind)]
    pub fn answer<'env>(
        &self,
        env: &'env Env,
        questions: NativeReaderQuestions,
        max_answer_tokens: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (trainer, control, questions) =
            (self.trainer(), control_or_new(control), Questions::from(questions));
        let options = ReadOptions {
            scoring: SpanScoring::Normalized,
            limits: SpanLimits { max_tokens: max_answer_tokens as usize, ..SpanLimits::default() },
            evidence: Evidence::default(),
            merge: Merge::default(),
        };
        spawn(env, move || {
            let trainer = trainer?;
            let answers = lock(&trainer).answer(&questions.borrow()?, &options, &control)?;
            Ok(answers.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>())
        })
    }

    /// Writes the reader to a folder.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn write<'env>(
        &self,
        env: &'env Env,
        folder: String,
        precision: String,
    ) -> napi::Result<Object<'env>> {
        let trainer = self.trainer();
        spawn(env, move || {
            let precision = parse_precision(&precision)?;
            lock(&*trainer?).write(&PathBuf::from(folder), precision)?;
            Ok(())
        })
    }

    /// Writes a checkpoint with the progress of the caller.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn save<'env>(&self, env: &'env Env, path: String, progress: String) -> napi::Result<Object<'env>> {
        let trainer = self.trainer();
        spawn(env, move || Ok(lock(&*trainer?).save(&PathBuf::from(path), &progress)?))
    }

    /// Restores a checkpoint, and returns the progress that was saved with it.
    #[napi(ts_return_type = "Promise<string>", catch_unwind)]
    pub fn load<'env>(&self, env: &'env Env, path: String) -> napi::Result<Object<'env>> {
        let trainer = self.trainer();
        spawn(env, move || Ok(lock(&*trainer?).load(&PathBuf::from(path))?))
    }

    /// Closes the trainer. Its memory is freed once calls in progress have finished.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        drop_elsewhere((self.inner.take(), std::mem::take(&mut self.batch)));
    }
}
