//! The readings of a run, and the answers that follow from them.

use std::collections::HashMap;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object, Uint32Array};
use napi_derive::napi;
use ranking::Run;
use reading::QuestionReadings;

use super::options::NativeScoring;
use crate::call::{Control, control_or_new, spawn};

/// The readings of all questions of a run.
pub struct RunReadings {
    /// Ids of the questions.
    pub ids: Vec<String>,
    /// Positions of the questions by their ids.
    pub positions: HashMap<String, usize>,
    /// `[questions]`
    pub readings: Vec<QuestionReadings>,
    pub run: Arc<Run>,
}

/// The output of a reader for the passages of a run.
#[napi]
pub struct NativeReadings {
    pub(super) inner: Arc<RunReadings>,
}

/// The best answer of each question that has one, column by column.
#[napi(object)]
pub struct AnswerColumns {
    /// Positions of the questions.
    pub questions: Uint32Array,
    pub texts: Vec<String>,
    pub passage_ids: Vec<String>,
    /// Half-open ranges of UTF-16 code units of the passage's text.
    pub starts: Uint32Array,
    pub ends: Uint32Array,
    pub scores: Float64Array,
}

#[napi]
impl NativeReadings {
    /// Number of passages that were read for each question.
    #[napi(catch_unwind)]
    pub fn depths(&self) -> Uint32Array {
        self.inner.readings.iter().map(|read| read.len() as u32).collect::<Vec<_>>().into()
    }

    /// The best answers to up to `count` questions, beginning with the one at position `first`. Only the first `passages`
    /// passages of each question count.
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
        let (read, control) = (Arc::clone(&self.inner), control_or_new(control));
        spawn(env, move || {
            let all = &read.readings;
            let first = (first as usize).min(all.len());
            let selected = &all[first..all.len().min(first + count as usize)];
            let best = reading::best_answers(selected, scoring.parse()?, passages as usize, &control)?;
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
