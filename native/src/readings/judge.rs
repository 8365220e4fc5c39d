use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object, Uint8Array, Uint32Array};
use napi_derive::napi;
use reading::{AcceptedAnswers, AnsweredQuestion, EvidenceSearch, GridRange};

use super::{NativeReadings, NativeScoring, ReadRun};
use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::reading::{merge, scoring};
use crate::task::{Outcome, spawn};

/// Where weights are looked for.
#[napi(object)]
pub struct NativeEvidenceSearch {
    pub scoring: String,
    pub merge: String,
    pub passages: Vec<u32>,
    /// From and to.
    pub beta: Vec<f64>,
    /// Of γ under `original`, else of δ.
    pub weight: Vec<f64>,
    pub threads: u32,
}

/// All that was tried, by columns; `right` counts questions.
#[napi(object)]
pub struct NativeTunedEvidence {
    pub betas: Float64Array,
    pub gammas: Float64Array,
    pub passages: Uint32Array,
    pub right: Uint32Array,
    /// Position of the best.
    pub best: u32,
}

/// Judges readings by accepted answers.
#[napi]
pub struct ReadingsJudge {
    readings: Arc<ReadRun>,
    /// Whether accepted answers are regular expressions.
    patterns: bool,
    questions: Vec<(String, Vec<String>)>,
}

#[napi]
impl ReadingsJudge {
    #[napi(constructor, catch_unwind)]
    pub fn new(readings: &NativeReadings, patterns: bool) -> Self {
        Self { readings: Arc::clone(&readings.inner), patterns, questions: Vec::new() }
    }

    #[napi(catch_unwind)]
    pub fn add(&mut self, ids: Vec<String>, accepted: Vec<Vec<String>>) {
        self.questions.extend(ids.into_iter().zip(accepted));
    }

    /// `[passages, questions]`: 1 where the best answer is an accepted one. No question is left afterwards.
    #[napi(ts_return_type = "Promise<Uint8Array>", catch_unwind)]
    pub fn exact_matches<'env>(
        &mut self,
        env: &'env Env,
        scoring: NativeScoring,
        passages: Vec<u32>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (read, questions) = (Arc::clone(&self.readings), std::mem::take(&mut self.questions));
        let (patterns, control) = (self.patterns, or_new(control));
        spawn(env, move || {
            let questions = answered(&read, &questions, patterns)?;
            let passages: Vec<usize> = passages.iter().map(|&passages| passages as usize).collect();
            let right = reading::exact_matches(&questions, scoring.parse()?, &passages, &control)?;
            Ok(Uint8Array::from(right.into_iter().flatten().map(u8::from).collect::<Vec<u8>>()))
        })
    }

    /// No question is left afterwards.
    #[napi(ts_return_type = "Promise<NativeTunedEvidence>", catch_unwind)]
    pub fn tune<'env>(
        &mut self,
        env: &'env Env,
        search: NativeEvidenceSearch,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (read, questions) = (Arc::clone(&self.readings), std::mem::take(&mut self.questions));
        let (patterns, control) = (self.patterns, or_new(control));
        spawn(env, move || {
            let questions = answered(&read, &questions, patterns)?;
            let range = |values: &[f64]| match values {
                &[min, max] => Ok(GridRange { min, max }),
                _ => Err(Failure::argument("tuneEvidence: expected ranges of two numbers")),
            };
            let search = EvidenceSearch {
                spans: scoring(&search.scoring)?,
                merge: merge(&search.merge)?,
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
    read: &'a ReadRun,
    questions: &'a [(String, Vec<String>)],
    patterns: bool,
) -> Outcome<Vec<AnsweredQuestion<'a>>> {
    let answered: Vec<AnsweredQuestion<'a>> = questions
        .iter()
        .map(|(id, accepted)| AnsweredQuestion {
            readings: read.positions.get(id).map(|&at| &read.readings[at]),
            accepted: if patterns {
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
