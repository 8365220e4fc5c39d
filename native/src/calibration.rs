use std::collections::HashMap;

use ::calibration::{Bins, Candidate, Descent, Ensemble, Outcomes, Step, choose};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Float64Array, Object, Uint8Array, Uint32Array};
use napi_derive::napi;

use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::evaluation::QrelsBuilder;
use crate::picked::{Queries, picked};
use crate::run::NativeRun;
use crate::task::{Outcome, call, spawn};

#[napi(catch_unwind)]
pub fn confidence(scores: &[f32], temperature: f64) -> napi::Result<f64> {
    call(|| Ok(choose(&[Candidate { scores, temperature }])?.confidences[0]))
}

#[napi(object)]
pub struct NativeBins {
    pub counts: Uint32Array,
    pub confidences: Float64Array,
    pub accuracies: Float64Array,
    pub squared_error: f64,
    pub absolute_error: f64,
    pub greatest_error: f64,
}

/// `correct` is 0 or 1, one for each confidence.
#[napi(catch_unwind)]
pub fn calibration_bins(confidences: &[f64], correct: &[u8], bins: u32) -> napi::Result<NativeBins> {
    call(|| {
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
    call(|| Ok(::calibration::brier_score(confidences, &truths(correct))?))
}

/// Temperatures in the order in which they were reached.
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

/// Outcomes of models, copied from JavaScript.
struct Models(Vec<(Vec<f32>, usize, Vec<bool>)>);

impl Models {
    /// Each model's `scores` are `[questions, k]`, and its `correct` is `[questions]`, 0 or 1.
    fn copy(scores: &[Float32Array], ks: &[u32], correct: &[Uint8Array]) -> Self {
        let models = scores.iter().zip(ks).zip(correct);
        Self(models.map(|((scores, &k), correct)| (scores.to_vec(), k as usize, truths(correct))).collect())
    }

    fn ensemble(&self) -> Outcome<Ensemble<'_>> {
        let outcomes = self.0.iter().map(|(scores, k, correct)| Outcomes::new(scores, *k, correct));
        Ok(Ensemble::new(outcomes.collect::<Result<_, _>>()?)?)
    }
}

/// The one temperature of all models with the smallest error: a path of one step.
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
    let (models, control) = (Models::copy(&scores, &ks, &correct), or_new(control));
    spawn(env, move || {
        let found = ::calibration::search(&models.ensemble()?, bins as usize, &control)?;
        Ok(NativePath::from(&[found][..]))
    })
}

/// The path of a gradient descent with one temperature for all models.
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
    let (models, control) = (Models::copy(&scores, &ks, &correct), or_new(control));
    spawn(env, move || {
        let descent = Descent { start, step, steps: steps as usize, bins: bins as usize };
        let path = ::calibration::descend(&models.ensemble()?, &descent, &control)?;
        Ok(NativePath::from(&path[..]))
    })
}

/// `scores` is `[queries, depth]`, `correct` 0 or 1.
#[napi(object)]
pub struct NativeJudgedScores {
    pub queries: Vec<String>,
    pub scores: Float32Array,
    pub correct: Uint8Array,
}

/// `scores` is the run whose lists have the scores, and may be `run` itself. The builder is empty afterwards.
#[napi(ts_return_type = "Promise<NativeJudgedScores>", catch_unwind)]
pub fn judged_scores<'env>(
    env: &'env Env,
    run: &NativeRun,
    scores: &NativeRun,
    qrels: &mut QrelsBuilder,
    depth: u32,
) -> napi::Result<Object<'env>> {
    let (run, scores, qrels) = (run.clone(), scores.clone(), qrels.take());
    spawn(env, move || {
        let judged = ::calibration::judged(&*run.named()?, &*scores.named()?, &qrels, depth as usize)?;
        let correct: Vec<u8> = judged.correct.into_iter().map(u8::from).collect();
        Ok(NativeJudgedScores {
            queries: judged.queries,
            scores: judged.scores.into(),
            correct: correct.into(),
        })
    })
}

#[napi(object)]
pub struct NativeChoice {
    pub model: u32,
    pub confidences: Float64Array,
}

/// The most confident model: of each the scores, `counts[i]` of them, and its temperature.
#[napi(catch_unwind)]
pub fn choose_model(scores: &[f32], counts: &[u32], temperatures: &[f64]) -> napi::Result<NativeChoice> {
    call(|| {
        let mut rest = scores;
        let mut models = Vec::with_capacity(counts.len());
        for (&count, &temperature) in counts.iter().zip(temperatures) {
            let (scores, behind) = rest
                .split_at_checked(count as usize)
                .ok_or_else(|| Failure::argument("scores: expected as many as the counts add up to"))?;
            models.push(Candidate { scores, temperature });
            rest = behind;
        }
        let choice = choose(&models)?;
        Ok(NativeChoice { model: choice.model as u32, confidences: choice.confidences.into() })
    })
}

/// `chosen[query]` is the place of a run, `confidences` is `[queries, runs]`.
#[napi(object, object_from_js = false)]
pub struct NativeDecisions {
    pub run: NativeRun,
    pub chosen: Uint32Array,
    pub confidences: Float64Array,
}

/// For each query the list of the most confident model, by the first `depth` scores of its list in `scores`, which has a run for
/// each of `runs`: the same one, or one with the scores of phrases. Hits do not pass through JavaScript, and ids of lists that
/// are not chosen are never read.
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
    let runs: Vec<NativeRun> = runs.into_iter().cloned().collect();
    let scores: Vec<NativeRun> = scores.into_iter().cloned().collect();
    let control = or_new(control);
    spawn(env, move || {
        if temperatures.len() != runs.len() || scores.len() != runs.len() {
            return Err(Failure::argument("temperatures: expected one for each run"));
        }
        let queries = Queries::of(&runs);
        let places: Vec<HashMap<&str, usize>> =
            scores.iter().map(|run| run.query_ids().enumerate().map(|(at, id)| (id, at)).collect()).collect();
        control.set_total(queries.ids.len() as u64);
        let (mut from, mut confidences) = (Vec::new(), Vec::new());
        for query in 0..queries.ids.len() {
            control.check()?;
            let scores_of = |run: usize| -> Vec<f32> {
                let place = places[run].get(queries.ids[query].as_str());
                let hits = place.map(|&place| scores[run].list(place, depth as usize)).unwrap_or_default();
                hits.iter().map(|hit| hit.score).collect()
            };
            let lists: Vec<Vec<f32>> = (0..runs.len()).map(scores_of).collect();
            let models = lists.iter().zip(&temperatures);
            let models: Vec<Candidate<'_>> =
                models.map(|(scores, &temperature)| Candidate { scores, temperature }).collect();
            let choice = choose(&models)
                .map_err(|error| Failure::from(error).of(&format!("query \"{}\"", queries.ids[query])))?;
            from.push(choice.model);
            confidences.extend(choice.confidences);
            control.advance(1);
        }
        let chosen: Vec<u32> = from.iter().map(|&run| run as u32).collect();
        Ok(NativeDecisions {
            run: picked(&runs, queries, &from, k as usize)?,
            chosen: chosen.into(),
            confidences: confidences.into(),
        })
    })
}

fn truths(of: &[u8]) -> Vec<bool> {
    of.iter().map(|&one| one != 0).collect()
}
