//! Readings of whole runs: read once, kept, scored as often as wanted.

mod cache;
mod judge;
mod read;

use std::collections::HashMap;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object, Uint32Array};
use napi_derive::napi;
use ranking::Run;
use reading::{Evidence, QuestionReadings, Scoring};

pub use self::cache::Digests;
use crate::control::{Control, or_new};
use crate::reading::{merge, scoring};
use crate::task::{Outcome, spawn};

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
                starts.push(best.utf16_range.start as u32);
                ends.push(best.utf16_range.end as u32);
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
