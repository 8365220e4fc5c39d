use ::calibration::{Bins, Candidate, Descent, Outcomes, choose};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Float64Array, Object, Uint8Array, Uint32Array};
use napi_derive::napi;

use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::evaluation::QrelsBuilder;
use crate::picked::{Queries, picked};
use crate::run::NativeRun;
use crate::task::{call, spawn};

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

/// The temperature with the least error alone. `scores` is `[correct.length, k]`; copied before it returns.
#[napi(ts_return_type = "Promise<NativePath>", catch_unwind)]
pub fn search_temperature<'env>(
    env: &'env Env,
    scores: &[f32],
    k: u32,
    correct: &[u8],
    bins: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (scores, correct, control) = (scores.to_vec(), truths(correct), or_new(control));
    spawn(env, move || {
        let outcomes = Outcomes::new(&scores, k as usize, &correct)?;
        let found = ::calibration::search(&outcomes, bins as usize, &control)?;
        Ok(NativePath { temperatures: vec![found.temperature].into(), errors: vec![found.error].into() })
    })
}

/// As [`search_temperature`], every temperature on the way down.
#[napi(ts_return_type = "Promise<NativePath>", catch_unwind)]
#[allow(clippy::too_many_arguments, reason = "they are the options of one call")]
pub fn descend_temperature<'env>(
    env: &'env Env,
    scores: &[f32],
    k: u32,
    correct: &[u8],
    bins: u32,
    start: f64,
    step: f64,
    steps: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (scores, correct, control) = (scores.to_vec(), truths(correct), or_new(control));
    spawn(env, move || {
        let outcomes = Outcomes::new(&scores, k as usize, &correct)?;
        let descent = Descent { start, step, steps: steps as usize, bins: bins as usize };
        let path = ::calibration::descend(&outcomes, &descent, &control)?;
        let temperatures: Vec<f64> = path.iter().map(|step| step.temperature).collect();
        let errors: Vec<f64> = path.iter().map(|step| step.error).collect();
        Ok(NativePath { temperatures: temperatures.into(), errors: errors.into() })
    })
}

/// `scores` is `[queries, depth]`, `correct` 0 or 1.
#[napi(object)]
pub struct NativeJudgedScores {
    pub queries: Vec<String>,
    pub scores: Float32Array,
    pub correct: Uint8Array,
}

/// The builder is empty afterwards.
#[napi(ts_return_type = "Promise<NativeJudgedScores>", catch_unwind)]
pub fn judged_scores<'env>(
    env: &'env Env,
    run: &NativeRun,
    qrels: &mut QrelsBuilder,
    depth: u32,
) -> napi::Result<Object<'env>> {
    let (run, qrels) = (run.clone(), qrels.take());
    spawn(env, move || {
        let judged = ::calibration::judged(&*run.named()?, &qrels, depth as usize)?;
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

/// Of each query the list of the most confident model, by the first `depth` scores. Hits do not pass through JavaScript, and
/// of lists that are not taken the ids are never looked at.
#[napi(ts_return_type = "Promise<NativeDecisions>", catch_unwind)]
pub fn fuse_by_confidence<'env>(
    env: &'env Env,
    runs: Vec<&NativeRun>,
    temperatures: Vec<f64>,
    depth: u32,
    k: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let runs: Vec<NativeRun> = runs.into_iter().cloned().collect();
    let control = or_new(control);
    spawn(env, move || {
        if temperatures.len() != runs.len() {
            return Err(Failure::argument("temperatures: expected one for each run"));
        }
        let queries = Queries::of(&runs);
        control.set_total(queries.ids.len() as u64);
        let (mut from, mut confidences) = (Vec::new(), Vec::new());
        for query in 0..queries.ids.len() {
            control.check()?;
            let scores = |run| -> Vec<f32> {
                let hits = queries.list(&runs, query, run, depth as usize);
                hits.iter().map(|hit| hit.score).collect()
            };
            let lists: Vec<Vec<f32>> = (0..runs.len()).map(scores).collect();
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
