//! Reads files of questions, batch by batch.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use corpus::{Question, QuestionReader};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::options::NativeReadFileOptions;
use super::passage::NativePassage;
use crate::call::{Control, control_or_new, spawn};

#[napi(object)]
pub struct NativeQuestion {
    pub id: String,
    pub text: String,
    pub answers: Vec<String>,
    /// The passage that the question was asked about, if the file has it.
    pub context: Option<NativePassage>,
    /// Ids of the gold passages, if the option `goldField` is set.
    pub positives: Option<Vec<String>>,
}

impl From<Question> for NativeQuestion {
    fn from(Question { id, text, answers, context, positives }: Question) -> Self {
        let positives = Some(positives).filter(|ids| !ids.is_empty());
        Self { id, text, answers, context: context.map(NativePassage::from), positives }
    }
}

/// A file of questions that is being read.
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
    let control = control_or_new(control);
    spawn(env, move || {
        let (format, options) = (options.format.parse()?, options.parse(&control));
        let reader = corpus::open_questions(Path::new(&path), format, &options)?;
        Ok(NativeQuestionReader { inner: Arc::new(Mutex::new(reader)) })
    })
}

#[napi]
impl NativeQuestionReader {
    /// Returns the next `count` questions, or fewer at the end.
    #[napi(ts_return_type = "Promise<Array<NativeQuestion>>", catch_unwind)]
    pub fn next<'env>(
        &self,
        env: &'env Env,
        count: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let reader = Arc::clone(&self.inner);
        let control = control_or_new(control);
        spawn(env, move || {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            let batch = reader.next_batch(count as usize, &control)?;
            Ok(batch.into_iter().map(NativeQuestion::from).collect::<Vec<_>>())
        })
    }

    /// Number of invalid lines that have been skipped so far.
    #[napi(getter, catch_unwind)]
    pub fn skipped(&self) -> f64 {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).skipped() as f64
    }
}
