//! Measures of runs, such as nDCG, and of answers: exact match and F1.

use evaluation::Measure;
use napi::Env;
use napi::bindgen_prelude::{Float64Array, Int32Array, Object};
use napi_derive::napi;
use ranking::Qrels;

use crate::call::{call_sync, spawn};
use crate::runs::NativeRun;

/// Returns whether the prediction equals an accepted answer after normalization or, with `patterns`, matches one of the
/// answers, which are then regular expressions.
#[napi(catch_unwind)]
pub fn exact_match(prediction: String, answers: Vec<String>, patterns: bool) -> napi::Result<bool> {
    let matches = if patterns { evaluation::pattern_match } else { evaluation::exact_match };
    call_sync(|| Ok(matches(&prediction, &answers)))
}

/// Returns the highest F1 of the prediction and any of the answers, over normalized words.
#[napi(catch_unwind)]
pub fn f1(prediction: String, answers: Vec<String>) -> napi::Result<f64> {
    call_sync(|| Ok(evaluation::f1(&prediction, &answers)))
}

/// Relevance judgments that JavaScript passes query by query.
#[napi]
#[derive(Default)]
pub struct QrelsBuilder {
    qrels: Qrels,
}

impl QrelsBuilder {
    /// Takes the judgments out of the builder.
    pub fn take(&mut self) -> Qrels {
        std::mem::take(&mut self.qrels)
    }
}

#[napi]
impl QrelsBuilder {
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    #[napi(catch_unwind)]
    pub fn add(&mut self, query: String, passages: Vec<String>, grades: Int32Array) {
        for (passage, &grade) in passages.into_iter().zip(grades.iter()) {
            self.qrels.insert(query.as_str(), passage, grade);
        }
    }
}

/// The values of several measures for a run.
#[napi(object)]
pub struct NativeEvaluation {
    /// `[measures]`: the mean of each measure over all queries with judgments.
    pub means: Float64Array,
    /// The ids of the queries with judgments.
    pub queries: Vec<String>,
    /// `[queries, measures]`: the value of each measure for each query.
    pub values: Float64Array,
    /// Number of queries with judgments for which the run has no hits.
    pub missing: u32,
    /// Number of queries of the run that have no judgments.
    pub unjudged: u32,
}

/// Evaluates a run with the relevance judgments of `qrels`, and empties `qrels`.
#[napi(ts_return_type = "Promise<NativeEvaluation>", catch_unwind)]
pub fn evaluate<'env>(
    env: &'env Env,
    run: &NativeRun,
    qrels: &mut QrelsBuilder,
    measures: Vec<String>,
) -> napi::Result<Object<'env>> {
    let (run, qrels) = (run.retrieved(), qrels.take());
    spawn(env, move || {
        let measures = measures.iter().map(|name| name.parse::<Measure>()).collect::<Result<Vec<_>, _>>()?;
        let evaluation = evaluation::evaluate(&*run.to_run()?, &qrels, &measures)?;
        let means: Vec<f64> = evaluation.measured.iter().map(|measured| measured.mean).collect();
        let values: Vec<f64> = (0..evaluation.queries.len())
            .flat_map(|query| evaluation.measured.iter().map(move |measured| measured.values[query]))
            .collect();
        Ok(NativeEvaluation {
            means: means.into(),
            queries: evaluation.queries,
            values: values.into(),
            missing: evaluation.missing as u32,
            unjudged: evaluation.unjudged as u32,
        })
    })
}
