//! Fuses runs: converts the method that JavaScript describes, and calls the crate `fusion`.

use fusion::{Linear, Method, Missing, Normalization};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use ranking::RetrievedRun;

use crate::call::{CallResult, Control, Failure, control_or_new, spawn};
use crate::runs::NativeRun;

/// A fusion method and its parameters: see `FusionMethod` in `ts/fusion/method.ts`, which has the formulas.
#[napi(object)]
#[derive(Clone)]
pub struct FusionMethod {
    pub method: String,
    pub lambda: Option<f64>,
    pub alpha: Option<f64>,
    pub normalize: Option<String>,
    pub rank_constant: Option<f64>,
    pub weights: Option<Vec<f64>>,
    pub missing: Option<String>,
}

/// Fuses the first `depth` hits of each run, query by query, into lists of up to `k` hits. Methods for two runs expect
/// the dense run first and the sparse run second. The queries of the result are in the order of their first appearance.
#[napi(ts_return_type = "Promise<NativeRun>", catch_unwind)]
pub fn fuse_runs<'env>(
    env: &'env Env,
    runs: Vec<&NativeRun>,
    method: FusionMethod,
    depth: u32,
    k: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let runs: Vec<RetrievedRun> = runs.into_iter().map(NativeRun::retrieved).collect();
    let control = control_or_new(control);
    spawn(env, move || {
        let method = parse_method(&method, runs.len())?;
        Ok(NativeRun::from(fusion::fuse_runs(&runs, depth as usize, &method, k as usize, &control)?))
    })
}

/// Converts the method that JavaScript describes. Fails if it cannot fuse `list_count` lists.
pub fn parse_method(method: &FusionMethod, list_count: usize) -> CallResult<Method> {
    let name = method.method.as_str();
    let alpha = || method.alpha.ok_or_else(|| Failure::argument(format!("{name}: expected alpha, got none")));
    let parsed = match name {
        "dprHybrid" => Method::dpr_hybrid(method.lambda.unwrap_or(1.1)),
        "hybrid" => Method::hybrid(alpha()?),
        "hybridNorm" => Method::hybrid_norm(alpha()?),
        "interpolate" => Method::interpolate(alpha()?, parse_normalization(method.normalize.as_deref())?),
        "linear" => Method::Linear(Linear {
            weights: method.weights.clone().unwrap_or_else(|| vec![1.0; list_count]),
            normalization: parse_normalization(method.normalize.as_deref())?,
            missing: parse_missing(method.missing.as_deref())?,
        }),
        "rrf" => Method::reciprocal_rank(method.rank_constant.unwrap_or(60.0)),
        other => {
            let expected = "dprHybrid, hybrid, hybridNorm, interpolate, linear or rrf";
            return Err(Failure::argument(format!("fusion method: expected {expected}, got \"{other}\"")));
        }
    };
    if list_count != 2 && !matches!(name, "linear" | "rrf") {
        let message = format!("{name}: expected two lists, a dense and a sparse one, got {list_count}");
        return Err(Failure::argument(message));
    }
    Ok(parsed)
}

fn parse_missing(name: Option<&str>) -> CallResult<Missing> {
    match name {
        None | Some("zero") => Ok(Missing::Zero),
        Some("minimum") => Ok(Missing::Minimum),
        Some(other) => Err(Failure::argument(format!("missing: expected zero or minimum, got \"{other}\""))),
    }
}

fn parse_normalization(name: Option<&str>) -> CallResult<Normalization> {
    match name {
        None | Some("none") => Ok(Normalization::None),
        Some("min-max") => Ok(Normalization::MinMax),
        Some("z-score") => Ok(Normalization::ZScore),
        Some(other) => {
            Err(Failure::argument(format!("normalize: expected none, min-max or z-score, got \"{other}\"")))
        }
    }
}
