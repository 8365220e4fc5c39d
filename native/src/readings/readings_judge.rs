//! Compares answers with accepted ones, and tunes how evidence is weighted.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object, Uint8Array, Uint32Array};
use napi_derive::napi;
use reading::{AcceptedAnswers, AnsweredQuestion, EvidenceSearch, GridRange};

use super::options::NativeScoring;
use super::run_readings::{NativeReadings, RunReadings};
use crate::call::{CallResult, Control, Failure, control_or_new, spawn};
use crate::models::{parse_merge, parse_scoring};

/// The weights among which the best are searched for.
#[napi(object)]
pub struct NativeEvidenceSearch {
    pub scoring: String,
    pub merge: String,
    pub passages: Vec<u32>,
    /// Smallest and greatest β.
    pub beta: Vec<f64>,
    /// Smallest and greatest weight: γ for the scoring `original`, otherwise δ.
    pub weight: Vec<f64>,
    pub threads: u32,
}

/// All weights that were tried, column by column.
#[napi(object)]
pub struct NativeTunedEvidence {
    pub betas: Float64Array,
    pub gammas: Float64Array,
    pub passages: Uint32Array,
    /// Number of questions that were answered correctly.
    pub right: Uint32Array,
    /// Position of the best weights.
    pub best: u32,
}

/// Compares the answers of readings with accepted answers.
#[napi]
pub struct ReadingsJudge {
    readings: Arc<RunReadings>,
    /// Whether accepted answers are regular expressions.
    has_patterns: bool,
    questions: Vec<(String, Vec<String>)>,
}

#[napi]
impl ReadingsJudge {
    #[napi(constructor, catch_unwind)]
    pub fn new(readings: &NativeReadings, patterns: bool) -> Self {
        Self { readings: Arc::clone(&readings.inner), has_patterns: patterns, questions: Vec::new() }
    }

    #[napi(catch_unwind)]
    pub fn add(&mut self, ids: Vec<String>, accepted: Vec<Vec<String>>) {
        self.questions.extend(ids.into_iter().zip(accepted));
    }

    /// `[passages, questions]`: 1 if the best answer from that number of passages is an accepted one. No question is left
    /// afterwards.
    #[napi(ts_return_type = "Promise<Uint8Array>", catch_unwind)]
    pub fn exact_matches<'env>(
        &mut self,
        env: &'env Env,
        scoring: NativeScoring,
        passages: Vec<u32>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (read, questions) = (Arc::clone(&self.readings), std::mem::take(&mut self.questions));
        let (has_patterns, control) = (self.has_patterns, control_or_new(control));
        spawn(env, move || {
            let questions = answered(&read, &questions, has_patterns)?;
            let passages: Vec<usize> = passages.iter().map(|&passages| passages as usize).collect();
            let right = reading::exact_matches(&questions, scoring.parse()?, &passages, &control)?;
            Ok(Uint8Array::from(right.into_iter().flatten().map(u8::from).collect::<Vec<u8>>()))
        })
    }

    /// Searches for the weights that answer the most questions. No question is left afterwards.
    #[napi(ts_return_type = "Promise<NativeTunedEvidence>", catch_unwind)]
    pub fn tune<'env>(
        &mut self,
        env: &'env Env,
        search: NativeEvidenceSearch,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (read, questions) = (Arc::clone(&self.readings), std::mem::take(&mut self.questions));
        let (has_patterns, control) = (self.has_patterns, control_or_new(control));
        spawn(env, move || {
            let questions = answered(&read, &questions, has_patterns)?;
            let range = |values: &[f64]| match values {
                &[min, max] => Ok(GridRange { min, max }),
                _ => Err(Failure::argument("tuneEvidence: expected ranges of two numbers")),
            };
            let search = EvidenceSearch {
                spans: parse_scoring(&search.scoring)?,
                merge: parse_merge(&search.merge)?,
                passage_counts: search.passages.iter().map(|&passages| passages as usize).collect(),
                beta: range(&search.beta)?,
                weight: range(&search.weight)?,
                threads: search.threads as usize,
            };
            let tuned = reading::tune_evidence(&questions, &search, &control)?;
            let best = tuned.trials.iter().position(|trial| *trial == tuned.best);
            let trials = &tuned.trials;
            Ok(NativeTunedEvidence {
                betas: trials.iter().map(|trial| trial.evidence.beta).collect::<Vec<_>>().into(),
                gammas: trials.iter().map(|trial| trial.evidence.gamma).collect::<Vec<_>>().into(),
                passages: trials.iter().map(|trial| trial.passage_count as u32).collect::<Vec<_>>().into(),
                right: trials.iter().map(|trial| trial.correct_count as u32).collect::<Vec<_>>().into(),
                best: best.expect("the best is one of them") as u32,
            })
        })
    }
}

fn answered<'a>(
    read: &'a RunReadings,
    questions: &'a [(String, Vec<String>)],
    has_patterns: bool,
) -> CallResult<Vec<AnsweredQuestion<'a>>> {
    let answered: Vec<AnsweredQuestion<'a>> = questions
        .iter()
        .map(|(id, accepted)| AnsweredQuestion {
            readings: read.positions.get(id).map(|&at| &read.readings[at]),
            accepted: if has_patterns {
                AcceptedAnswers::Patterns(accepted)
            } else {
                AcceptedAnswers::Texts(accepted)
            },
        })
        .collect();
    match (questions.first(), read.ids.first()) {
        (Some((asked, _)), Some(known)) if answered.iter().all(|question| question.readings.is_none()) => {
            Err(Failure::argument(format!(
                "questions: expected some that were read, got none of them: the readings begin with \"{known}\", the questions with \"{asked}\""
            )))
        }
        _ => Ok(answered),
    }
}
