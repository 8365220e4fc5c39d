use std::collections::HashMap;
use std::sync::Arc;

use fusion::{Method, Normalisation};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use ranking::{Hit, Run, ScoredId};

use crate::control::{Control, or_new};
use crate::error::Failure;
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
}

/// Fuses runs query by query: the first is the dense one, the second the sparse one. Queries come in order of first
/// appearance.
#[napi(ts_return_type = "Promise<NativeRun>", catch_unwind)]
pub fn fuse_runs<'env>(
    env: &'env Env,
    runs: Vec<&NativeRun>,
    method: FusionMethod,
    k: u32,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let runs: Vec<NativeRun> = runs.into_iter().cloned().collect();
    let control = or_new(control);
    spawn(env, move || {
        let method = parse(&method)?;
        let runs = runs.iter().map(NativeRun::named).collect::<Outcome<Vec<Arc<Run>>>>()?;
        let mut fused = Run::new();
        for run in &runs {
            for (query, _) in run.iter() {
                if fused.get(query).is_none() {
                    control.check()?;
                    let lists: Vec<&[ScoredId]> =
                        runs.iter().map(|run| run.get(query).unwrap_or_default()).collect();
                    fused.insert(query, fuse_named(&lists, &method, k as usize)?);
                }
            }
        }
        Ok(NativeRun::from(fused))
    })
}

fn fuse_named(lists: &[&[ScoredId]], method: &Method, k: usize) -> Outcome<Vec<ScoredId>> {
    let mut ords: HashMap<&str, u32> = HashMap::new();
    let mut ids: Vec<&str> = Vec::new();
    let mut hits: Vec<Vec<Hit>> = Vec::with_capacity(lists.len());
    for list in lists {
        let mut column = Vec::with_capacity(list.len());
        for ScoredId { id, score } in *list {
            let ord = *ords.entry(id).or_insert_with(|| {
                ids.push(id);
                ids.len() as u32 - 1
            });
            column.push(Hit { ord, score: *score });
        }
        hits.push(column);
    }
    let lists: Vec<&[Hit]> = hits.iter().map(Vec::as_slice).collect();
    let fused = fusion::fuse(&lists, method, k)?;
    Ok(fused
        .into_iter()
        .map(|hit| ScoredId { id: ids[hit.ord as usize].to_owned(), score: hit.score })
        .collect())
}

fn parse(method: &FusionMethod) -> Outcome<Method> {
    let alpha = || {
        method.alpha.ok_or_else(|| Failure::argument(format!("{}: expected alpha, got none", method.method)))
    };
    Ok(match method.method.as_str() {
        "dprHybrid" => Method::dpr_hybrid(method.lambda.unwrap_or(1.1)),
        "hybrid" => Method::hybrid(alpha()?),
        "hybridNorm" => Method::hybrid_norm(alpha()?),
        "interpolate" => Method::interpolate(alpha()?, normalisation(method.normalise.as_deref())?),
        "rrf" => Method::reciprocal_rank(method.rank_constant.unwrap_or(60.0)),
        other => {
            let expected = "dprHybrid, hybrid, hybridNorm, interpolate or rrf";
            return Err(Failure::argument(format!("fusion method: expected {expected}, got \"{other}\"")));
        }
    })
}

fn normalisation(name: Option<&str>) -> Outcome<Normalisation> {
    match name {
        None | Some("none") => Ok(Normalisation::None),
        Some("min-max") => Ok(Normalisation::MinMax),
        Some("z-score") => Ok(Normalisation::ZScore),
        Some(other) => {
            Err(Failure::argument(format!("normalise: expected none, min-max or z-score, got \"{other}\"")))
        }
    }
}
