//! Confidence, calibration errors, and the temperature with the smallest squared calibration error (Guo et al., 2017,
//! "On Calibration of Modern Neural Networks"; Yang et al., 2023, "Confidence-Calibrated Ensemble Dense Phrase
//! Retrieval"). The crate `calibration` has the formulas.

use ::calibration::{Bins, Candidate, Descent, Ensemble, Outcomes, Step, choose};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Float64Array, Object, Uint8Array, Uint32Array};
use napi_derive::napi;

use crate::call::{CallResult, Control, call_sync, control_or_new, spawn};

/// Returns the confidence of a model in its first hit for a query, given the scores of all its hits.
#[napi(catch_unwind)]
pub fn confidence(scores: &[f32], temperature: f64) -> napi::Result<f64> {
    call_sync(|| Ok(choose(&[Candidate { scores, temperature }])?.confidences[0]))
}

/// The bins of a reliability diagram, and the calibration errors over them.
#[napi(object)]
pub struct NativeBins {
    /// Number of predictions in each bin.
    pub counts: Uint32Array,
    /// Mean confidence of the predictions in each bin; 0 for an empty bin.
    pub confidences: Float64Array,
    /// Fraction of the predictions in each bin that are correct; 0 for an empty bin.
    pub accuracies: Float64Array,
    /// The squared calibration error: the mean, over all predictions, of the squared difference between the confidence
    /// and the accuracy of the prediction's bin.
    pub squared_error: f64,
    /// The expected calibration error (ECE): the mean, over all predictions, of the absolute difference.
    pub absolute_error: f64,
    /// The maximum calibration error (MCE): the largest absolute difference of a bin with predictions.
    pub max_error: f64,
}

/// Sorts predictions into bins by their confidences. `correct` has 0 or 1 for each confidence.
#[napi(catch_unwind)]
pub fn calibration_bins(confidences: &[f64], correct: &[u8], bin_count: u32) -> napi::Result<NativeBins> {
    call_sync(|| {
        let bins = Bins::new(confidences, &to_bools(correct), bin_count as usize)?;
        let counts: Vec<u32> = bins.bins().iter().map(|bin| bin.count as u32).collect();
        let confidences: Vec<f64> = bins.bins().iter().map(|bin| bin.confidence).collect();
        let accuracies: Vec<f64> = bins.bins().iter().map(|bin| bin.accuracy).collect();
        Ok(NativeBins {
            counts: counts.into(),
            confidences: confidences.into(),
            accuracies: accuracies.into(),
            squared_error: bins.squared_error(),
            absolute_error: bins.absolute_error(),
            max_error: bins.max_error(),
        })
    })
}

/// Returns the Brier score: the mean squared difference between the confidence of a prediction and `correct`, which is
/// 0 or 1.
#[napi(catch_unwind)]
pub fn brier_score(confidences: &[f64], correct: &[u8]) -> napi::Result<f64> {
    call_sync(|| Ok(::calibration::brier_score(confidences, &to_bools(correct))?))
}

/// Temperatures in the order in which a gradient descent reached them, and the squared calibration error of each.
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

/// Scores and outcomes of several models for the same questions, copied from JavaScript.
struct Models(Vec<ModelOutcomes>);

/// Scores and outcomes of one model.
struct ModelOutcomes {
    /// `[questions, k]`: the best scores for each question.
    scores: Vec<f32>,
    /// Number of scores per question.
    k: usize,
    /// `[questions]`: whether the first hit is correct.
    correct: Vec<bool>,
}

impl Models {
    /// For model `i`, `scores[i]` is `[questions, ks[i]]`, and `correct[i]` is `[questions]`, with 0 or 1 per question.
    fn copy(scores: &[Float32Array], ks: &[u32], correct: &[Uint8Array]) -> Self {
        let models = scores.iter().zip(ks).zip(correct).map(|((scores, &k), correct)| ModelOutcomes {
            scores: scores.to_vec(),
            k: k as usize,
            correct: to_bools(correct),
        });
        Self(models.collect())
    }

    fn ensemble(&self) -> CallResult<Ensemble<'_>> {
        let outcomes = self.0.iter().map(|model| Outcomes::new(&model.scores, model.k, &model.correct));
        Ok(Ensemble::new(outcomes.collect::<Result<_, _>>()?)?)
    }
}

/// Finds the temperature, shared by all models, with the smallest squared calibration error. The returned path has only
/// this temperature. `scores[i]` is `[questions, ks[i]]`: the best scores of model `i` for each question. `correct[i]`
/// is `[questions]`: 1 if the first hit of model `i` is correct, otherwise 0. `bins` is the number of bins.
#[napi(ts_return_type = "Promise<NativePath>", catch_unwind)]
#[allow(clippy::needless_pass_by_value, reason = "napi passes typed arrays by value")]
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

/// Runs gradient descent on the squared calibration error, with one temperature that all models share, and returns the
/// path. `scores[i]` is `[questions, ks[i]]`: the best scores of model `i` for each question. `correct[i]` is
/// `[questions]`: 1 if the first hit of model `i` is correct, otherwise 0. `bins` is the number of bins, `start` the
/// first temperature, `step` the step size, and `steps` the maximum number of steps.
#[napi(ts_return_type = "Promise<NativePath>", catch_unwind)]
#[allow(clippy::too_many_arguments, reason = "they are the options of one call")]
#[allow(clippy::needless_pass_by_value, reason = "napi passes typed arrays by value")]
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

/// Converts numbers from JavaScript, where 0 means false.
fn to_bools(numbers: &[u8]) -> Vec<bool> {
    numbers.iter().map(|&number| number != 0).collect()
}
