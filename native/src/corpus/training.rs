//! Reads DPR's training files, batch by batch.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use corpus::{TrainingExample, TrainingPassage, TrainingReadOptions, TrainingReader};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::call::{Control, control_or_new, spawn};

/// A passage of a training example.
#[napi(object)]
pub struct NativeTrainingPassage {
    pub id: Option<String>,
    pub title: Option<String>,
    pub text: String,
    pub score: Option<f64>,
}

/// A question with its training passages.
#[napi(object)]
pub struct NativeTrainingExample {
    pub question: String,
    pub answers: Vec<String>,
    pub positives: Vec<NativeTrainingPassage>,
    pub hard_negatives: Vec<NativeTrainingPassage>,
    pub negatives: Vec<NativeTrainingPassage>,
    pub dataset: Option<String>,
}

/// How to read a training file.
#[napi(object)]
pub struct NativeTrainingReadOptions {
    /// Whether to skip and count invalid examples instead of failing at the first one.
    pub skip_bad_lines: bool,
    /// Maximum size of the JSON of one example, after decompression.
    pub max_document_bytes: f64,
    /// Maximum number of passages of each kind per example.
    pub max_positives: u32,
    pub max_hard_negatives: u32,
    pub max_negatives: u32,
}

impl From<TrainingPassage> for NativeTrainingPassage {
    fn from(TrainingPassage { id, title, text, score }: TrainingPassage) -> Self {
        Self { id, title, text, score }
    }
}

impl From<TrainingExample> for NativeTrainingExample {
    fn from(example: TrainingExample) -> Self {
        let passages = |passages: Vec<TrainingPassage>| passages.into_iter().map(Into::into).collect();
        Self {
            question: example.question,
            answers: example.answers,
            positives: passages(example.positives),
            hard_negatives: passages(example.hard_negatives),
            negatives: passages(example.negatives),
            dataset: example.dataset,
        }
    }
}

/// A training file that is being read.
#[napi]
pub struct NativeTrainingReader {
    inner: Arc<Mutex<TrainingReader>>,
}

#[napi(ts_return_type = "Promise<NativeTrainingReader>", catch_unwind)]
pub fn open_training_file<'env>(
    env: &'env Env,
    path: String,
    options: NativeTrainingReadOptions,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = control_or_new(control);
    spawn(env, move || {
        let options = TrainingReadOptions {
            skip_bad_lines: options.skip_bad_lines,
            max_document_bytes: options.max_document_bytes as usize,
            max_positives: options.max_positives as usize,
            max_hard_negatives: options.max_hard_negatives as usize,
            max_negatives: options.max_negatives as usize,
            control,
        };
        let reader = corpus::open_training(Path::new(&path), &options)?;
        Ok(NativeTrainingReader { inner: Arc::new(Mutex::new(reader)) })
    })
}

#[napi]
impl NativeTrainingReader {
    /// Returns the next examples: up to `count`, but no more once their strings have `bytes` bytes together. Returns an
    /// empty list at the end.
    #[napi(ts_return_type = "Promise<Array<NativeTrainingExample>>", catch_unwind)]
    pub fn next<'env>(
        &self,
        env: &'env Env,
        count: u32,
        bytes: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let reader = Arc::clone(&self.inner);
        let control = control_or_new(control);
        spawn(env, move || {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            let batch = reader.next_batch(count as usize, bytes as usize, &control)?;
            Ok(batch.into_iter().map(NativeTrainingExample::from).collect::<Vec<_>>())
        })
    }

    /// Number of invalid examples that have been skipped so far.
    #[napi(getter, catch_unwind)]
    pub fn skipped(&self) -> f64 {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).skipped() as f64
    }
}
