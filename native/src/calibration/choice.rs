//! Chooses the most confident of several retrieval models, for one query or for whole runs (Yang et al., 2023,
//! "Confidence-Calibrated Ensemble Dense Phrase Retrieval", §3.2).
//!
//! A model's confidence in its first hit for a query is the softmax of that hit's score over the scores of the model's
//! best hits for the query. All scores are divided by the model's temperature first.

use ::calibration::{Candidate, ConfidentModel, choose};
use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object, Uint32Array};
use napi_derive::napi;

use crate::call::{Control, Failure, call_sync, control_or_new, spawn};
use crate::runs::NativeRun;

/// The position of the chosen model, and the confidence of every model.
#[napi(object)]
pub struct NativeChoice {
    pub model: u32,
    pub confidences: Float64Array,
}

/// Chooses the most confident model. `scores` has the scores of all models, one model after another. `counts[i]` is the
/// number of scores of model `i`, and `temperatures[i]` is its temperature.
#[napi(catch_unwind)]
pub fn choose_model(scores: &[f32], counts: &[u32], temperatures: &[f64]) -> napi::Result<NativeChoice> {
    call_sync(|| {
        let mut rest = scores;
        let mut models = Vec::with_capacity(counts.len());
        for (&count, &temperature) in counts.iter().zip(temperatures) {
            let (model_scores, after) = rest.split_at_checked(count as usize).ok_or_else(|| {
                Failure::argument("scores: expected as many as the sum of the counts, got fewer")
            })?;
            models.push(Candidate { scores: model_scores, temperature });
            rest = after;
        }
        let choice = choose(&models)?;
        Ok(NativeChoice { model: choice.model as u32, confidences: choice.confidences.into() })
    })
}

/// For each query, the hits of the most confident model.
#[napi(object, object_from_js = false)]
pub struct NativeDecisions {
    pub run: NativeRun,
    /// `[queries]`: position of the chosen run in `runs`.
    pub chosen: Uint32Array,
    /// `[queries, runs]`: the confidence of the model of each run.
    pub confidences: Float64Array,
}

/// Chooses, for each query, the hits of the most confident model, and returns the first `k` of them. `runs[i]` has the
/// hits of model `i`. The first `depth` scores of a query in `scores[i]` determine the confidence of model `i`;
/// `scores[i]` is `runs[i]` itself, or a run with the scores of the model's best phrases. Hits do not pass through
/// JavaScript, and the ids of hits that are not chosen are never looked up.
#[napi(ts_return_type = "Promise<NativeDecisions>", catch_unwind)]
#[allow(clippy::too_many_arguments, reason = "they are the options of one call")]
pub fn fuse_by_confidence<'env>(
    env: &'env Env,
    runs: Vec<&NativeRun>,
    scores: Vec<&NativeRun>,
    temperatures: Vec<f64>,
    depth: u32,
    k: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let is_complete = temperatures.len() == runs.len() && scores.len() == runs.len();
    let models = runs.into_iter().zip(scores).zip(temperatures);
    let models: Vec<ConfidentModel> = models
        .map(|((run, scores), temperature)| ConfidentModel {
            run: run.retrieved(),
            scores: scores.retrieved(),
            temperature,
        })
        .collect();
    let control = control_or_new(control);
    spawn(env, move || {
        if !is_complete {
            return Err(Failure::argument("temperatures: expected one for each run"));
        }
        let fused = ::calibration::fuse_by_confidence(&models, depth as usize, k as usize, &control)?;
        let chosen: Vec<u32> = fused.chosen.into_iter().map(|model| model as u32).collect();
        Ok(NativeDecisions {
            run: fused.run.into(),
            chosen: chosen.into(),
            confidences: fused.confidences.into(),
        })
    })
}
