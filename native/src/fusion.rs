use fusion::{Linear, Method, Missing, Normalization};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use ranking::Hit;

use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::numbering::Aligned;
use crate::run::NativeRun;
use crate::task::{Outcome, spawn};

/// As `FusionMethod` in `ts/fusion/`.
#[napi(object)]
#[derive(Clone)]
pub struct FusionMethod {
    pub method: String,
    pub lambda: Option<f64>,
    pub alpha: Option<f64>,
    pub normalise: Option<String>,
    pub rank_constant: Option<f64>,
    pub weights: Option<Vec<f64>>,
    pub missing: Option<String>,
}

/// Fuses the first `depth` hits of runs query by query: of two the first is the dense one, the second the sparse one. Queries come in order of first
/// appearance.
#[napi(ts_return_type = "Promise<NativeRun>", catch_unwind)]
pub fn fuse_runs<'env>(
    env: &'env Env,
    runs: Vec<&NativeRun>,
    method: FusionMethod,
    depth: u32,
    k: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let runs: Vec<NativeRun> = runs.into_iter().cloned().collect();
    let control = or_new(control);
    spawn(env, move || {
        let method = parse(&method, runs.len())?;
        let aligned = Aligned::new(&runs, depth as usize)?;
        let queries: Vec<Vec<&[Hit]>> = (0..aligned.queries.len()).map(|at| aligned.of(at)).collect();
        let fused = fusion::fuse_many(&queries, &method, k as usize, &control)?;
        drop(queries);
        NativeRun::ranked(aligned.queries, fused, aligned.numbering.into_names())
    })
}

/// The method for so many lists.
pub fn parse(method: &FusionMethod, lists: usize) -> Outcome<Method> {
    let name = method.method.as_str();
    let alpha = || method.alpha.ok_or_else(|| Failure::argument(format!("{name}: expected alpha, got none")));
    let parsed = match name {
        "dprHybrid" => Method::dpr_hybrid(method.lambda.unwrap_or(1.1)),
        "hybrid" => Method::hybrid(alpha()?),
        "hybridNorm" => Method::hybrid_norm(alpha()?),
        "interpolate" => Method::interpolate(alpha()?, normalization(method.normalise.as_deref())?),
        "linear" => Method::Linear(Linear {
            weights: method.weights.clone().unwrap_or_else(|| vec![1.0; lists]),
            normalization: normalization(method.normalise.as_deref())?,
            missing: missing(method.missing.as_deref())?,
        }),
        "rrf" => Method::reciprocal_rank(method.rank_constant.unwrap_or(60.0)),
        other => {
            let expected = "dprHybrid, hybrid, hybridNorm, interpolate, linear or rrf";
            return Err(Failure::argument(format!("fusion method: expected {expected}, got \"{other}\"")));
        }
    };
    if lists != 2 && !matches!(name, "linear" | "rrf") {
        let message = format!("{name}: expected two lists, a dense and a sparse one, got {lists}");
        return Err(Failure::argument(message));
    }
    Ok(parsed)
}

fn missing(name: Option<&str>) -> Outcome<Missing> {
    match name {
        None | Some("zero") => Ok(Missing::Zero),
        Some("minimum") => Ok(Missing::Minimum),
        Some(other) => Err(Failure::argument(format!("missing: expected zero or minimum, got \"{other}\""))),
    }
}

fn normalization(name: Option<&str>) -> Outcome<Normalization> {
    match name {
        None | Some("none") => Ok(Normalization::None),
        Some("min-max") => Ok(Normalization::MinMax),
        Some("z-score") => Ok(Normalization::ZScore),
        Some(other) => {
            Err(Failure::argument(format!("normalise: expected none, min-max or z-score, got \"{other}\"")))
        }
    }
}
