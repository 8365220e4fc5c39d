//! Compares answers with accepted answers, and tunes the weights of evidence fusion (Ma et al., 2021): β, the weight of
//! the reader's relevance logit, and γ, the weight of the retrieval score. δ stands for γ / β.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object, Uint8Array, Uint32Array};
use napi_derive::napi;
use pipelines::RunReadings;
use reading::{EvidenceSearch, GridRange};

use super::options::NativeScoring;
use super::run_readings::NativeReadings;
use crate::call::{Control, Failure, control_or_new, spawn};
use crate::models::{parse_merge, parse_scoring};

/// The weights and the numbers of passages to try, and the rules by which answers are scored.
#[napi(object)]
pub struct NativeEvidenceSearch {
    /// As in `NativeScoring`.
    pub scoring: String,
    /// As in `NativeScoring`.
    pub merge: String,
    /// The numbers of passages per question to try.
    pub passages: Vec<u32>,
    /// The smallest and the largest β.
    pub beta: Vec<f64>,
    /// The smallest and the largest γ for the scoring `original`, otherwise the smallest and the largest δ.
    pub weight: Vec<f64>,
    /// Number of threads; 0 means one per CPU.
    pub threads: u32,
}

/// The combinations of weights and numbers of passages that were tried, column by column.
#[napi(object)]
pub struct NativeTunedEvidence {
    pub betas: Float64Array,
    pub gammas: Float64Array,
    pub passages: Uint32Array,
    /// Number of questions that were answered correctly.
    pub right: Uint32Array,
    /// Position of the best combination in these columns.
    pub best: u32,
}

/// Compares the answers of readings with accepted answers.
#[napi]
pub struct ReadingsJudge {
    readings: Arc<RunReadings>,
    /// Whether accepted answers are regular expressions.
    has_patterns: bool,
    /// The id and the accepted answers of each question.
    questions: Vec<(String, Vec<String>)>,
}

#[napi]
impl ReadingsJudge {
    #[napi(constructor, catch_unwind)]
    pub fn new(readings: &NativeReadings, patterns: bool) -> Self {
        Self { readings: Arc::clone(&readings.inner), has_patterns: patterns, questions: Vec::new() }
    }

    /// Adds questions with their accepted answers.
    #[napi(catch_unwind)]
    pub fn add(&mut self, ids: Vec<String>, accepted: Vec<Vec<String>>) {
        self.questions.extend(ids.into_iter().zip(accepted));
    }

    /// Returns numbers `[passageCounts, questions]`: in row i, 1 if the best answer from the first `passageCounts[i]`
    /// passages is an accepted answer, otherwise 0. Removes the questions from the judge.
    #[napi(ts_return_type = "Promise<Uint8Array>", catch_unwind)]
    pub fn exact_matches<'env>(
        &mut self,
        env: &'env Env,
        scoring: NativeScoring,
        passage_counts: Vec<u32>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (readings, questions) = (Arc::clone(&self.readings), std::mem::take(&mut self.questions));
        let (has_patterns, control) = (self.has_patterns, control_or_new(control));
        spawn(env, move || {
            let questions = readings.answered(&questions, has_patterns)?;
            let passage_counts: Vec<usize> = passage_counts.iter().map(|&count| count as usize).collect();
            let right = reading::exact_matches(&questions, scoring.parse()?, &passage_counts, &control)?;
            Ok(Uint8Array::from(right.into_iter().flatten().map(u8::from).collect::<Vec<u8>>()))
        })
    }

    /// Searches for the weights and the number of passages with which the most questions are answered correctly.
    /// Removes the questions from the judge.
    #[napi(ts_return_type = "Promise<NativeTunedEvidence>", catch_unwind)]
    pub fn tune<'env>(
        &mut self,
        env: &'env Env,
        search: NativeEvidenceSearch,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (readings, questions) = (Arc::clone(&self.readings), std::mem::take(&mut self.questions));
        let (has_patterns, control) = (self.has_patterns, control_or_new(control));
        spawn(env, move || {
            let questions = readings.answered(&questions, has_patterns)?;
            let range = |values: &[f64]| match values {
                &[min, max] => Ok(GridRange { min, max }),
                _ => Err(Failure::argument("tuneEvidence: expected ranges of two numbers")),
            };
            let search = EvidenceSearch {
                spans: parse_scoring(&search.scoring)?,
                merge: parse_merge(&search.merge)?,
                passage_counts: search.passages.iter().map(|&count| count as usize).collect(),
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
