//! Confidence, calibration errors, and the temperature that minimizes them.

use ::calibration::{Bins, Candidate, Descent, Ensemble, Outcomes, Step, choose};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Float64Array, Object, Uint8Array, Uint32Array};
use napi_derive::napi;

use crate::call::{CallResult, Control, call_sync, control_or_new, spawn};

/// The confidence of a model in its best passage.
#[napi(catch_unwind)]
pub fn confidence(scores: &[f32], temperature: f64) -> napi::Result<f64> {
    call_sync(|| Ok(choose(&[Candidate { scores, temperature }])?.confidences[0]))
}

/// Calibration errors, and the bins of a reliability diagram.
#[napi(object)]
pub struct NativeBins {
    pub counts: Uint32Array,
    pub confidences: Float64Array,
    pub accuracies: Float64Array,
    pub squared_error: f64,
    pub absolute_error: f64,
    pub greatest_error: f64,
}

/// `correct` has 0 or 1 for each confidence.
#[napi(catch_unwind)]
pub fn calibration_bins(confidences: &[f64], correct: &[u8], bins: u32) -> napi::Result<NativeBins> {
    call_sync(|| {
        let bins = Bins::new(confidences, &truths(correct), bins as usize)?;
        let counts: Vec<u32> = bins.bins().iter().map(|bin| bin.count as u32).collect();
        let confidences: Vec<f64> = bins.bins().iter().map(|bin| bin.confidence).collect();
        let accuracies: Vec<f64> = bins.bins().iter().map(|bin| bin.accuracy).collect();
        Ok(NativeBins {
            counts: counts.into(),
            confidences: confidences.into(),
            accuracies: accuracies.into(),
            squared_error: bins.squared_error(),
            absolute_error: bins.absolute_error(),
            greatest_error: bins.greatest_error(),
        })
    })
}

#[napi(catch_unwind)]
pub fn brier_score(confidences: &[f64], correct: &[u8]) -> napi::Result<f64> {
    call_sync(|| Ok(::calibration::brier_score(confidences, &truths(correct))?))
}

/// Temperatures in the order in which a search reached them, and the calibration error of each.
#[napi(object)]
pub struct NativePath {
    pub temperatures: Float64Array,
    pub errors: Float64Array,
}

impl From<&[Step]> for NativePath {
    fn from(path: &[Step]) -> Self {
        let temperatures: Vec<f64> = path.iter().map(|step| step.temperature).collect();
        let errors: Vec<f64> = path.iter().map(|step| step.error).collect();
        Self { temperatures: temperatures.into(), errors: errors.into() }
    }
}

/// Scores and outcomes of several models, copied from JavaScript.
struct Models(Vec<ModelOutcomes>);

struct ModelOutcomes {
    /// `[questions, k]`
    scores: Vec<f32>,
    k: usize,
    /// `[questions]`: whether the best passage is right.
    correct: Vec<bool>,
}

impl Models {
    /// Each model's `scores` are `[questions, k]`, and its `correct` is `[questions]`, 0 or 1.
    fn copy(scores: &[Float32Array], ks: &[u32], correct: &[Uint8Array]) -> Self {
        let models = scores.iter().zip(ks).zip(correct).map(|((scores, &k), correct)| ModelOutcomes {
            scores: scores.to_vec(),
            k: k as usize,
            correct: truths(correct),
        });
        Self(models.collect())
    }

    fn ensemble(&self) -> CallResult<Ensemble<'_>> {
        let outcomes = self.0.iter().map(|model| Outcomes::new(&model.scores, model.k, &model.correct));
        Ok(Ensemble::new(outcomes.collect::<Result<_, _>>()?)?)
    }
}

/// Finds the one temperature for all models with the smallest calibration error. The path has one step.
#[napi(ts_return_type = "Promise<NativePath>", catch_unwind)]
#[allow(clippy::needless_pass_by_value, reason = "what JavaScript passes")]
pub fn search_temperature<'env>(
    env: &'env Env,
    scores: Vec<Float32Array>,
    ks: Vec<u32>,
    correct: Vec<Uint8Array>,
    bins: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (models, control) = (Models::copy(&scores, &ks, &correct), control_or_new(control));
    spawn(env, move || {
        let found = ::calibration::search(&models.ensemble()?, bins as usize, &control)?;
        Ok(NativePath::from(&[found][..]))
    })
}

/// Runs gradient descent on one temperature for all models, and returns its path.
#[napi(ts_return_type = "Promise<NativePath>", catch_unwind)]
#[allow(clippy::too_many_arguments, reason = "they are the options of one call")]
#[allow(clippy::needless_pass_by_value, reason = "what JavaScript passes")]
pub fn descend_temperature<'env>(
    env: &'env Env,
    scores: Vec<Float32Array>,
    ks: Vec<u32>,
    correct: Vec<Uint8Array>,
    bins: u32,
    start: f64,
    step: f64,
    steps: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (models, control) = (Models::copy(&scores, &ks, &correct), control_or_new(control));
    spawn(env, move || {
        let descent = Descent { start, step, steps: steps as usize, bins: bins as usize };
        let path = ::calibration::descend(&models.ensemble()?, &descent, &control)?;
        Ok(NativePath::from(&path[..]))
    })
}

/// Truth values from JavaScript, where 0 means false.
fn truths(numbers: &[u8]) -> Vec<bool> {
    numbers.iter().map(|&number| number != 0).collect()
}
