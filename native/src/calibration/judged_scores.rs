//! Returns the scores of a run, and for each query whether the first hit is relevant. `temperature.rs` fits a
//! temperature to these results.

use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint8Array};
use napi_derive::napi;

use crate::call::spawn;
use crate::evaluation::QrelsBuilder;
use crate::runs::NativeRun;

/// The scores of the queries that have relevance judgments, and whether their first hits are relevant.
#[napi(object)]
pub struct NativeJudgedScores {
    /// The ids of the queries.
    pub queries: Vec<String>,
    /// `[queries, depth]`: the best scores of each query, highest first; −∞ if there are fewer than `depth`.
    pub scores: Float32Array,
    /// `[queries]`: 1 if the first hit is relevant, otherwise 0.
    pub correct: Uint8Array,
}

/// Returns, for each query with judgments, whether its first hit in `run` is relevant, and its `depth` best scores in
/// the run `scores`, which may be `run` itself. Empties `qrels`.
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
        let judged =
            ::calibration::run_outcomes(&*run.to_run()?, &*scores.to_run()?, &qrels, depth as usize)?;
        let correct: Vec<u8> = judged.correct.into_iter().map(u8::from).collect();
        Ok(NativeJudgedScores {
            queries: judged.queries,
            scores: judged.scores.into(),
            correct: correct.into(),
        })
    })
}
