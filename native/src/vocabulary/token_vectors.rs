//! A vector for each token: its enrichment, or its row of the decoder.

use std::path::Path;
use std::sync::Arc;

use ::vocabulary::{
    Adam, EnrichOptions, EvenEnrichments, Start, cache_file, enrich, enrich_evenly, identity,
};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint32Array};
use napi_derive::napi;

use super::projection::NativeProjection;
use crate::call::{CallResult, Control, Failure, control_or_new, spawn};

/// How enrichments are optimized.
#[napi(object)]
pub struct NativeEnrichOptions {
    /// `zero` or `static`.
    pub start: String,
    pub learning_rate: f64,
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
    pub loss: f64,
    pub min_steps: u32,
    pub max_steps: u32,
    /// Whether all tokens take the same number of steps; otherwise each stops when it has converged.
    pub even: bool,
    pub threads: u32,
}

impl NativeEnrichOptions {
    fn parse(&self) -> CallResult<EnrichOptions> {
        let start = match self.start.as_str() {
            "zero" => Start::Zero,
            "static" => Start::Static,
            other => {
                return Err(Failure::argument(format!("start: expected zero or static, got \"{other}\"")));
            }
        };
        let Self { learning_rate, beta1, beta2, epsilon, .. } = *self;
        Ok(EnrichOptions {
            start,
            adam: Adam { learning_rate, beta1, beta2, epsilon },
            loss: self.loss as f32,
            min_steps: self.min_steps,
            max_steps: self.max_steps,
            threads: self.threads as usize,
        })
    }
}

/// A vector for every token of a vocabulary.
#[napi]
pub struct NativeTokenVectors {
    /// `[tokens, dim]`
    vectors: Arc<Vec<f32>>,
    dim: usize,
    identity: String,
    /// For each token; empty unless the vectors were found by optimization.
    losses: Vec<f32>,
    bounds: Vec<f32>,
    steps: Vec<u32>,
}

impl NativeTokenVectors {
    /// The vectors `[tokens, dim]`.
    pub fn vectors(&self) -> Arc<Vec<f32>> {
        Arc::clone(&self.vectors)
    }

    pub fn dimension(&self) -> usize {
        self.dim
    }
}

/// Finds the enrichments of a head. They are stored in the folder `cache`, if there is one, in files named by head and
/// options.
#[napi(ts_return_type = "Promise<NativeTokenVectors>", catch_unwind)]
pub fn find_enrichments<'env>(
    env: &'env Env,
    projection: &NativeProjection,
    options: NativeEnrichOptions,
    cache: Option<String>,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (head, control) = (Arc::clone(&projection.head), control_or_new(control));
    spawn(env, move || {
        let even = options.even;
        let options = options.parse()?;
        let folder = cache.as_deref().map(Path::new);
        let EvenEnrichments { enrichments: found, options } = if even {
            enrich_evenly(&head, &options, folder, &control)?
        } else {
            let file = folder.map(|folder| cache_file(folder, &head, &options));
            EvenEnrichments { enrichments: enrich(&head, &options, file.as_deref(), &control)?, options }
        };
        Ok(NativeTokenVectors {
            vectors: Arc::new(found.vectors),
            dim: found.dim,
            identity: identity(&head, &options),
            losses: found.losses,
            bounds: found.bounds,
            steps: found.steps,
        })
    })
}

/// The rows of the decoder of a head, as token vectors.
#[napi(ts_return_type = "Promise<NativeTokenVectors>", catch_unwind)]
pub fn static_embeddings<'env>(env: &'env Env, projection: &NativeProjection) -> napi::Result<Object<'env>> {
    let head = Arc::clone(&projection.head);
    spawn(env, move || {
        if head.inner_dim() != head.dim() {
            let (dim, got) = (head.dim(), head.inner_dim());
            let message = format!("tokens: expected a decoder of the vectors' dimension {dim}, got {got}");
            return Err(Failure::argument(message));
        }
        Ok(NativeTokenVectors {
            vectors: Arc::new(head.decoder().to_vec()),
            dim: head.dim(),
            identity: format!("static-{}", head.identity()),
            losses: Vec::new(),
            bounds: Vec::new(),
            steps: Vec::new(),
        })
    })
}

#[napi]
impl NativeTokenVectors {
    #[napi(getter, catch_unwind)]
    pub fn dim(&self) -> u32 {
        self.dim as u32
    }

    #[napi(getter, catch_unwind)]
    pub fn identity(&self) -> String {
        self.identity.clone()
    }

    #[napi(catch_unwind)]
    pub fn losses(&self) -> Float32Array {
        self.losses.clone().into()
    }

    #[napi(catch_unwind)]
    pub fn bounds(&self) -> Float32Array {
        self.bounds.clone().into()
    }

    #[napi(catch_unwind)]
    pub fn steps(&self) -> Uint32Array {
        self.steps.clone().into()
    }
}
