//! Significance tests, corrections of p-values for several tests, and the overlap of runs.

use evaluation::significance::{
    Differences, MonteCarlo, RankSum, bootstrap_test, paired_t_test, randomization_test,
    smallest_significant_difference as smallest_difference, smallest_significant_shift as smallest_shift,
};
use napi::Env;
use napi::bindgen_prelude::{Float64Array, Object};
use napi_derive::napi;

use crate::call::{Control, Failure, call_sync, control_or_new, spawn};
use crate::runs::NativeRun;

/// The result of a paired test.
#[napi(object)]
pub struct NativePairedTest {
    /// Mean of a − b.
    pub difference: f64,
    /// The two-sided p-value.
    pub p: f64,
    /// The t statistic; absent unless the test is the t test.
    pub statistic: Option<f64>,
    /// Standard error of the mean difference; absent unless the test is the t test.
    pub standard_error: Option<f64>,
}

/// Tests whether the means of the paired values `a` and `b` differ. `test` is `paired-t`, `randomization` or
/// `bootstrap`; the last two draw `rounds` random samples. Copies the values before it returns.
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

/// Returns the smallest mean difference for which a paired t test over `queries` queries has a p-value of at most `p`,
/// given the standard error of the mean difference.
#[napi(catch_unwind)]
pub fn smallest_significant_difference(standard_error: f64, queries: u32, p: f64) -> napi::Result<f64> {
    call_sync(|| Ok(smallest_difference(standard_error, queries as usize, p)?))
}

/// The result of a rank-sum test of two samples a and b.
#[napi(object)]
pub struct NativeRankSum {
    /// U: the number of pairs in which the value of a is larger; a pair of equal values counts as one half.
    pub statistic: f64,
    /// U / (|a| · |b|): the probability that a random value of a is larger than a random value of b. Equal values count
    /// as one half.
    pub probability: f64,
    /// Standard error of `probability` if the samples do not differ.
    pub standard_error: f64,
    /// The two-sided p-value.
    pub p: f64,
}

/// Computes the rank-sum test of two independent samples (Mann and Whitney, 1947). Copies the samples before it
/// returns.
#[napi(ts_return_type = "Promise<NativeRankSum>", catch_unwind)]
pub fn rank_sum_test<'env>(env: &'env Env, a: &[f64], b: &[f64]) -> napi::Result<Object<'env>> {
    let (a, b) = (a.to_vec(), b.to_vec());
    spawn(env, move || {
        let RankSum { statistic, probability, standard_error, p } =
            evaluation::significance::rank_sum_test(&a, &b)?;
        Ok(NativeRankSum { statistic, probability, standard_error, p })
    })
}

/// Returns the smallest distance of `NativeRankSum.probability` from one half for which a rank-sum test of samples of
/// `a` and `b` values has a p-value of at most `p`.
#[napi(catch_unwind)]
pub fn smallest_significant_shift(standard_error: f64, a: u32, b: u32, p: f64) -> napi::Result<f64> {
    call_sync(|| Ok(smallest_shift(standard_error, (a as usize, b as usize), p)?))
}

/// Returns the p-values of several tests, corrected by the method of Bonferroni.
#[napi(catch_unwind)]
pub fn bonferroni(ps: &[f64]) -> napi::Result<Float64Array> {
    call_sync(|| Ok(evaluation::significance::bonferroni(ps).into()))
}

/// Returns the p-values of several tests, corrected by the method of Holm.
#[napi(catch_unwind)]
pub fn holm(ps: &[f64]) -> napi::Result<Float64Array> {
    call_sync(|| Ok(evaluation::significance::holm(ps).into()))
}

/// The Jaccard overlap of two runs: the number of passages in both lists divided by the number in at least one.
#[napi(object)]
pub struct NativeOverlap {
    /// `[cut-offs]`: the mean over `queries`.
    pub means: Float64Array,
    /// The ids of the queries that both runs have.
    pub queries: Vec<String>,
    /// `[queries, cut-offs]`: the overlap for each query.
    pub values: Float64Array,
    /// Number of queries that only one of the runs has.
    pub missing: u32,
}

/// Computes the Jaccard overlap of two runs at each cut-off in `ks`, for each query that both runs have, and its mean.
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
