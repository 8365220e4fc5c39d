//! Receives questions, a run with hits for these questions, and the texts of the hits from JavaScript, and reads the
//! hits with a reader model.

use std::sync::Arc;

use corpus::{Passage, PassageTexts};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use pipelines::{Cache, RunQuestion, read_run};
use ranking::RetrievedRun;
use reading::SpanLimits;

use super::cache::NativeReadingCache;
use super::options::NativeSpanLimits;
use super::run_readings::NativeReadings;
use crate::call::{Control, control_or_new, spawn};
use crate::corpus::NativeTexts;
use crate::models::NativeReader;
use crate::runs::NativeRun;

/// Reads the passages of a run. JavaScript passes questions and passages in several calls, so that no call takes long.
#[napi]
pub struct RunReader {
    run: RetrievedRun,
    passages: PassageTexts,
    depth: usize,
    limits: SpanLimits,
    questions: Vec<RunQuestion>,
}

#[napi]
impl RunReader {
    /// Makes an object that reads the first `depth` hits of each question. The texts of the hits come from the store of
    /// `texts` or, without a store, from `addPassages`.
    #[napi(constructor, catch_unwind)]
    pub fn new(run: &NativeRun, texts: Option<&NativeTexts>, depth: u32, limits: NativeSpanLimits) -> Self {
        let passages = texts.and_then(NativeTexts::store).map(PassageTexts::from).unwrap_or_default();
        let (run, depth, limits) = (run.retrieved(), depth as usize, limits.parse());
        Self { run, passages, depth, limits, questions: Vec::new() }
    }

    #[napi(catch_unwind)]
    pub fn add_questions(&mut self, ids: Vec<String>, texts: Vec<String>) {
        let questions = ids.into_iter().zip(texts);
        self.questions.extend(questions.map(|(id, text)| RunQuestion { id, text }));
    }

    /// Adds passages. Does nothing if the passages come from a store. An empty title means no title.
    #[napi(catch_unwind)]
    pub fn add_passages(&mut self, ids: Vec<String>, titles: Vec<String>, texts: Vec<String>) {
        let passages = ids.into_iter().zip(titles).zip(texts).map(|((id, title), text)| Passage {
            id,
            title: Some(title).filter(|title| !title.is_empty()),
            text,
        });
        self.passages.extend(passages);
    }

    /// Reads the passages. Takes readings from `cache` where it has them, and adds new readings to it. Removes all
    /// questions and passages from this object.
    #[napi(ts_return_type = "Promise<NativeReadings>", catch_unwind)]
    pub fn read<'env>(
        &mut self,
        env: &'env Env,
        reader: &NativeReader,
        cache: Option<&NativeReadingCache>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let control = control_or_new(control);
        let mut reader = pipelines::RunReader {
            // A closed reader has no model; then the cache must have all readings.
            model: reader.model().ok(),
            origin: Arc::clone(&reader.origin),
            limits: self.limits,
            cache: None,
        };
        if let Some(cache) = cache {
            reader.cache = Some(Cache { file: cache.file()?, identity: cache.identity.clone() });
        }
        let (passages, questions) = (std::mem::take(&mut self.passages), std::mem::take(&mut self.questions));
        let (run, depth) = (self.run.clone(), self.depth);
        spawn(env, move || {
            let readings = read_run(&reader, &run, depth, &passages, questions, &control)?;
            Ok(NativeReadings { inner: Arc::new(readings) })
        })
    }
}
