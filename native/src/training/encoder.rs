//! The trainer of encoders.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use inference::EncoderInput;
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint32Array};
use napi_derive::napi;
use pipelines::{EncoderTraining, TrainingBatch};
use training::Side;

use super::lists::lists;
use super::lock;
use super::options::{NativeEncoderTrainingOptions, NativeStepReport, parse_precision};
use crate::call::{CallResult, Control, Failure, control_or_new, drop_elsewhere, spawn};
use crate::dense::VectorBatch;

/// A batch: questions and passages, in columns.
#[napi(object)]
pub struct NativeTrainingBatch {
    pub questions: Vec<String>,
    /// An empty title means no title.
    pub titles: Vec<String>,
    pub texts: Vec<String>,
    /// The positive passage of each question.
    pub positives: Uint32Array,
    /// The end of each question's candidates in `candidates`. Without it, all passages are candidates of all questions.
    pub candidate_ends: Option<Uint32Array>,
    pub candidates: Option<Uint32Array>,
    /// Pairs of a question and a passage that it is not compared with.
    pub excluded: Uint32Array,
}

/// An encoder that is trained.
#[napi]
pub struct NativeEncoderTrainer {
    /// `None` once the trainer is closed.
    inner: Option<Arc<Mutex<EncoderTraining>>>,
    validation: Arc<Validation>,
}

/// The questions and passages of the validation.
#[derive(Debug, Clone, Default)]
struct Validation {
    questions: Vec<String>,
    titles: Vec<String>,
    texts: Vec<String>,
    gold: Vec<u32>,
    ignored: Vec<Vec<u32>>,
}

impl NativeEncoderTrainer {
    fn trainer(&self) -> CallResult<Arc<Mutex<EncoderTraining>>> {
        self.inner.clone().ok_or_else(|| Failure::closed("trainer"))
    }
}

/// Opens the model in a folder for training. If `hasPassageModel`, passages have a model of their own.
#[napi(ts_return_type = "Promise<NativeEncoderTrainer>", catch_unwind)]
pub fn open_encoder_trainer<'env>(
    env: &'env Env,
    folder: String,
    has_passage_model: bool,
    options: NativeEncoderTrainingOptions,
) -> napi::Result<Object<'env>> {
    spawn(env, move || {
        let options = options.parse()?;
        let trainer = EncoderTraining::open(&PathBuf::from(folder), has_passage_model, options)?;
        Ok(NativeEncoderTrainer { inner: Some(Arc::new(Mutex::new(trainer))), validation: Arc::default() })
    })
}

#[napi]
impl NativeEncoderTrainer {
    /// Dimension of the vectors.
    #[napi(getter, catch_unwind)]
    pub fn dim(&self) -> napi::Result<u32> {
        Ok(lock(&*self.trainer()?).dim() as u32)
    }

    /// Makes a step with a batch.
    #[napi(ts_return_type = "Promise<NativeStepReport>", catch_unwind)]
    pub fn step<'env>(
        &self,
        env: &'env Env,
        batch: NativeTrainingBatch,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let trainer = self.trainer();
        let control = control_or_new(control);
        let (positives, excluded) = (batch.positives.to_vec(), batch.excluded.to_vec());
        let ends = batch.candidate_ends.map(|ends| ends.to_vec());
        let candidates = batch.candidates.map(|candidates| candidates.to_vec()).unwrap_or_default();
        let (questions, titles, texts) = (batch.questions, batch.titles, batch.texts);
        spawn(env, move || {
            let trainer = trainer?;
            let batch = TrainingBatch {
                questions: questions.iter().map(String::as_str).collect(),
                passages: passages(&titles, &texts),
                positives,
                candidates: ends.map(|ends| lists(&ends, &candidates)).transpose()?,
                excluded: excluded
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&[question, passage]| (question, passage))
                    .collect(),
            };
            Ok(NativeStepReport::from(lock(&trainer).step(&batch, &control)?))
        })
    }

    /// Returns the vectors of questions, `[questions, dim]`. Progress counts questions.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    pub fn encode_questions<'env>(
        &self,
        env: &'env Env,
        questions: Vec<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (trainer, control) = (self.trainer(), control_or_new(control));
        spawn(env, move || {
            let trainer = trainer?;
            let inputs: Vec<_> = questions.iter().map(|text| EncoderInput { title: None, text }).collect();
            Ok(Float32Array::from(lock(&trainer).encode(Side::Question, &inputs, &control)?))
        })
    }

    /// Makes a step that changes only the question encoder. `passages` has the vectors of the passages that all
    /// questions are compared with; the call empties it. `positives` has the positive passages of each question, which
    /// end at `positiveEnds`.
    #[napi(ts_return_type = "Promise<NativeStepReport>", catch_unwind)]
    pub fn step_questions<'env>(
        &self,
        env: &'env Env,
        questions: Vec<String>,
        passages: &mut VectorBatch,
        positive_ends: Uint32Array,
        positives: Uint32Array,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (trainer, control) = (self.trainer(), control_or_new(control));
        let (vectors, positives) = (passages.take_vectors(), lists(&positive_ends, &positives)?);
        spawn(env, move || {
            let trainer = trainer?;
            let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
            let report = lock(&trainer).step_questions(&questions, &vectors, &positives, &control)?;
            Ok(NativeStepReport::from(report))
        })
    }

    /// Adds passages to the validation. An empty title means no title.
    #[napi(catch_unwind)]
    pub fn add_validation_passages(&mut self, titles: Vec<String>, texts: Vec<String>) {
        let validation = Arc::make_mut(&mut self.validation);
        validation.titles.extend(titles);
        validation.texts.extend(texts);
    }

    /// Adds questions to the validation, with their gold passages. `ignored` has the passages that are not counted for
    /// each question, which end at `ignoredEnds`.
    #[napi(catch_unwind)]
    pub fn add_validation_questions(
        &mut self,
        questions: Vec<String>,
        gold: Uint32Array,
        ignored_ends: Uint32Array,
        ignored: Uint32Array,
    ) -> napi::Result<()> {
        let ignored = lists(&ignored_ends, &ignored)?;
        let validation = Arc::make_mut(&mut self.validation);
        validation.questions.extend(questions);
        validation.gold.extend_from_slice(&gold);
        validation.ignored.extend(ignored);
        Ok(())
    }

    /// Returns the rank of the gold passage of each validation question among all validation passages, from 1. Progress
    /// counts texts.
    #[napi(ts_return_type = "Promise<Uint32Array>", catch_unwind)]
    pub fn validate<'env>(&self, env: &'env Env, control: Option<&Control>) -> napi::Result<Object<'env>> {
        let trainer = self.trainer();
        let control = control_or_new(control);
        let validation = Arc::clone(&self.validation);
        spawn(env, move || {
            let trainer = trainer?;
            let Validation { questions, titles, texts, gold, ignored } = &*validation;
            let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
            let passages = passages(titles, texts);
            let ranks = lock(&trainer).ranks(&questions, &passages, gold, ignored, &control)?;
            Ok(Uint32Array::from(ranks))
        })
    }

    /// Writes the encoder of a side, `question` or `passage`, to a folder.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn write<'env>(
        &self,
        env: &'env Env,
        side: String,
        folder: String,
        precision: String,
    ) -> napi::Result<Object<'env>> {
        let trainer = self.trainer();
        spawn(env, move || {
            let side = if side == "passage" { Side::Passage } else { Side::Question };
            let precision = parse_precision(&precision)?;
            lock(&*trainer?).write(side, &PathBuf::from(folder), precision)?;
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
        drop_elsewhere((self.inner.take(), std::mem::take(&mut self.validation)));
    }
}

fn passages<'a>(titles: &'a [String], texts: &'a [String]) -> Vec<EncoderInput<'a>> {
    let titles = titles.iter().map(|title| Some(title.as_str())).chain(std::iter::repeat(None));
    texts.iter().zip(titles).map(|(text, title)| EncoderInput { title, text }).collect()
}
