//! Significance tests, corrections for several tests, and the overlap of runs.

use evaluation::significance::{
    Differences, MonteCarlo, RankSum, bootstrap_test, paired_t_test, randomization_test,
    smallest_significant_difference as smallest_difference, smallest_significant_shift as smallest_shift,
};
use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object};
use napi_derive::napi;

use crate::call::{Control, Failure, call_sync, control_or_new, spawn};
use crate::runs::NativeRun;

#[napi(object)]
pub struct NativePairedTest {
    pub difference: f64,
    pub p: f64,
    pub statistic: Option<f64>,
    pub standard_error: Option<f64>,
}

/// Tests whether the means of paired values differ. Copies the values before it returns.
#[napi(ts_return_type = "Promise<NativePairedTest>", catch_unwind)]
pub fn significance<'env>(
    env: &'env Env,
    a: &[f64],
    b: &[f64],
    test: String,
    rounds: u32,
    seed: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (a, b, control) = (a.to_vec(), b.to_vec(), control_or_new(control));
    spawn(env, move || {
        let differences = Differences::new(&a, &b)?;
        let monte_carlo = MonteCarlo { rounds, seed: seed.into() };
        let (p, t) = match test.as_str() {
            "paired-t" => {
                let t = paired_t_test(&differences);
                (t.p, Some(t))
            }
            "randomization" => (randomization_test(&differences, monte_carlo, &control)?, None),
            "bootstrap" => (bootstrap_test(&differences, monte_carlo, &control)?, None),
            other => {
                let expected = "paired-t, randomization or bootstrap";
                return Err(Failure::argument(format!("test: expected {expected}, got \"{other}\"")));
            }
        };
        Ok(NativePairedTest {
            difference: differences.mean(),
            p,
            statistic: t.map(|t| t.statistic),
            standard_error: t.map(|t| t.standard_error),
        })
    })
}

#[napi(catch_unwind)]
pub fn smallest_significant_difference(standard_error: f64, queries: u32, p: f64) -> napi::Result<f64> {
    call_sync(|| Ok(smallest_difference(standard_error, queries as usize, p)?))
}

#[napi(object)]
pub struct NativeRankSum {
    pub statistic: f64,
    pub probability: f64,
    pub standard_error: f64,
    pub p: f64,
}

/// Wilcoxon's rank-sum test of two independent samples. Copies them before it returns.
#[napi(ts_return_type = "Promise<NativeRankSum>", catch_unwind)]
pub fn rank_sum_test<'env>(env: &'env Env, a: &[f64], b: &[f64]) -> napi::Result<Object<'env>> {
    let (a, b) = (a.to_vec(), b.to_vec());
    spawn(env, move || {
        let RankSum { statistic, probability, standard_error, p } =
            evaluation::significance::rank_sum_test(&a, &b)?;
        Ok(NativeRankSum { statistic, probability, standard_error, p })
    })
}

#[napi(catch_unwind)]
pub fn smallest_significant_shift(standard_error: f64, a: u32, b: u32, p: f64) -> napi::Result<f64> {
    call_sync(|| Ok(smallest_shift(standard_error, (a as usize, b as usize), p)?))
}

#[napi(catch_unwind)]
pub fn bonferroni(ps: &[f64]) -> napi::Result<Float64Array> {
    call_sync(|| Ok(evaluation::significance::bonferroni(ps).into()))
}

#[napi(catch_unwind)]
pub fn holm(ps: &[f64]) -> napi::Result<Float64Array> {
    call_sync(|| Ok(evaluation::significance::holm(ps).into()))
}

/// How many passages two runs have in common.
#[napi(object)]
pub struct NativeOverlap {
    /// `[cut-offs]`
    pub means: Float64Array,
    pub queries: Vec<String>,
    /// `[queries, cut-offs]`
    pub values: Float64Array,
    /// Number of queries that only one of the runs has.
    pub missing: u32,
}

/// The Jaccard overlap of two runs at each cut-off of `ks`: of each query that both have, and its mean.
#[napi(ts_return_type = "Promise<NativeOverlap>", catch_unwind)]
pub fn jaccard_overlap<'env>(
    env: &'env Env,
    a: &NativeRun,
    b: &NativeRun,
    ks: Vec<u32>,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (a, b, control) = (a.retrieved(), b.retrieved(), control_or_new(control));
    spawn(env, move || {
        let ks: Vec<usize> = ks.into_iter().map(|k| k as usize).collect();
        let overlap = evaluation::jaccard_at(&*a.to_run()?, &*b.to_run()?, &ks, &control)?;
        Ok(NativeOverlap {
            means: overlap.means.into(),
            queries: overlap.queries,
            values: overlap.values.concat().into(),
            missing: overlap.missing as u32,
        })
    })
}
