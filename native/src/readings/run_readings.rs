//! The readings that `run_reader.rs` returns, and the answers that are extracted from them.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object, Uint32Array};
use napi_derive::napi;
use pipelines::{RunAnswer, RunReadings};

use super::options::NativeScoring;
use crate::call::{Control, control_or_new, spawn};

/// What a reader model returned for the questions of a `RunReader` and their passages.
#[napi]
pub struct NativeReadings {
    pub(super) inner: Arc<RunReadings>,
}

/// The best answer of each question that has one, column by column.
#[napi(object)]
pub struct AnswerColumns {
    /// Positions of the questions in the order in which they were added to the `RunReader`.
    pub questions: Uint32Array,
    pub texts: Vec<String>,
    pub passage_ids: Vec<String>,
    /// Where each answer starts in the text of its passage, in UTF-16 code units.
    pub starts: Uint32Array,
    /// Where each answer ends: the position after its last UTF-16 code unit.
    pub ends: Uint32Array,
    pub scores: Float64Array,
}

#[napi]
impl NativeReadings {
    /// Returns, for each question, the number of passages that have been read. It is below the requested depth if the
    /// run has fewer hits.
    #[napi(catch_unwind)]
    pub fn depths(&self) -> Uint32Array {
        self.inner.questions().iter().map(|question| question.len() as u32).collect::<Vec<_>>().into()
    }

    /// Returns the best answer to each of up to `count` questions, beginning with the question at position `first`.
    /// Uses only the first `passageCount` passages of each question.
    #[napi(ts_return_type = "Promise<AnswerColumns>", catch_unwind)]
    pub fn answers<'env>(
        &self,
        env: &'env Env,
        scoring: NativeScoring,
        passage_count: u32,
        first: u32,
        count: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (readings, control) = (Arc::clone(&self.inner), control_or_new(control));
        spawn(env, move || {
            let first = first as usize;
            let range = first..first + count as usize;
            let answers = readings.answers(range, scoring.parse()?, passage_count as usize, &control)?;
            let (mut questions, mut texts, mut passage_ids) = (Vec::new(), Vec::new(), Vec::new());
            let (mut starts, mut ends, mut scores) = (Vec::new(), Vec::new(), Vec::new());
            for RunAnswer { question, passage_id, answer } in answers {
                questions.push(question as u32);
                texts.push(answer.text.to_owned());
                passage_ids.push(passage_id.to_owned());
                starts.push(answer.utf16_range.start as u32);
                ends.push(answer.utf16_range.end as u32);
                scores.push(answer.score);
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
