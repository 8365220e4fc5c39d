//! Scores and outcomes of a run, from which a temperature is calibrated.

use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint8Array};
use napi_derive::napi;

use crate::call::spawn;
use crate::evaluation::QrelsBuilder;
use crate::runs::NativeRun;

/// Scores of judged queries.
#[napi(object)]
pub struct NativeJudgedScores {
    pub queries: Vec<String>,
    /// `[queries, depth]`
    pub scores: Float32Array,
    /// `[queries]`: 1 if the best passage is relevant, otherwise 0.
    pub correct: Uint8Array,
}

/// The best scores of each judged query of `run`, and whether its best passage is relevant. `scores` is the run whose scores
/// are returned; it may be `run` itself. The builder is empty afterwards.
#[napi(ts_return_type = "Promise<NativeJudgedScores>", catch_unwind)]
pub fn judged_scores<'env>(
    env: &'env Env,
    run: &NativeRun,
    scores: &NativeRun,
    qrels: &mut QrelsBuilder,
    depth: u32,
) -> napi::Result<Object<'env>> {
    let (run, scores, qrels) = (run.retrieved(), scores.retrieved(), qrels.take());
    spawn(env, move || {
        let judged = ::calibration::judged(&*run.to_run()?, &*scores.to_run()?, &qrels, depth as usize)?;
        let correct: Vec<u8> = judged.correct.into_iter().map(u8::from).collect();
        Ok(NativeJudgedScores {
            queries: judged.queries,
            scores: judged.scores.into(),
            correct: correct.into(),
        })
    })
}
