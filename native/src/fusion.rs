//! Fusion of runs.

use fusion::{Linear, Method, Missing, Normalization};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use ranking::{AlignedRuns, Hit, RetrievedRun};

use crate::call::{CallResult, Control, Failure, control_or_new, spawn};
use crate::runs::NativeRun;

/// See `FusionMethod` in `ts/fusion/`.
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

/// Fuses the first `depth` hits of runs, query by query. Methods for two runs expect the dense one first and the sparse one
/// second. Queries are in the order of their first appearance.
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
        let runs = AlignedRuns::new(&runs, depth as usize)?;
        let lists: Vec<Vec<&[Hit]>> = (0..runs.queries.len()).map(|query| runs.lists_of(query)).collect();
        let fused = fusion::fuse_many(&lists, &method, k as usize, &control)?;
        Ok(NativeRun::from(RetrievedRun::new(runs.queries, fused, Box::new(runs.interner))?))
    })
}

/// The method that JavaScript describes, for fusing `list_count` lists.
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
