//! Reads files of questions, batch by batch.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use corpus::QuestionReader;
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
    pub context: Option<NativePassage>,
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
        let options = (options.format.parse()?, options.parse(&control));
        let reader = corpus::open_questions(Path::new(&path), options.0, &options.1)?;
        Ok(NativeQuestionReader { inner: Arc::new(Mutex::new(reader)) })
    })
}

#[napi]
impl NativeQuestionReader {
    /// Up to `count` questions; fewer at the end.
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
            reader.set_control(Arc::clone(&control));
            let mut batch: Vec<NativeQuestion> = Vec::with_capacity(count as usize);
            for question in reader.by_ref().take(count as usize) {
                control.check()?;
                let corpus::Question { id, text, answers, context } = question?;
                batch.push(NativeQuestion { id, text, answers, context: context.map(NativePassage::from) });
            }
            control.set_total(reader.bytes_total());
            control.advance(reader.bytes_read());
            Ok(batch)
        })
    }

    /// Number of bad lines that were skipped so far.
    #[napi(getter, catch_unwind)]
    pub fn skipped(&self) -> f64 {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).skipped() as f64
    }
}
