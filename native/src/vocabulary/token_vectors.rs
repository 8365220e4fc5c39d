//! A vector for each token of the vocabulary of a masked-language-model head: either its enrichment, which is a vector
//! that the head maps to a high probability of this token (Ram et al., 2023, §6.2), or its row of the head's decoder
//! matrix.

use std::path::Path;
use std::sync::Arc;

use ::vocabulary::{Adam, EnrichOptions, Start, TokenVectors};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint32Array};
use napi_derive::napi;

use super::projection::NativeProjection;
use crate::call::{CallResult, Control, Failure, control_or_new, spawn};

/// How enrichments are optimized, by Adam (Kingma and Ba, 2015).
#[napi(object)]
pub struct NativeEnrichOptions {
    /// The initial vectors: `zero`, or `static` for the rows of the decoder.
    pub start: String,
    pub learning_rate: f64,
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
    /// The loss, a cross-entropy in nats, below which a token has converged.
    pub loss: f64,
    pub min_steps: u32,
    pub max_steps: u32,
    /// Whether all tokens take the same number of optimizer steps; otherwise, each token stops when it has converged.
    pub use_equal_steps: bool,
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
    inner: Arc<TokenVectors>,
}

impl NativeTokenVectors {
    pub fn tokens(&self) -> Arc<TokenVectors> {
        Arc::clone(&self.inner)
    }
}

impl From<TokenVectors> for NativeTokenVectors {
    fn from(tokens: TokenVectors) -> Self {
        Self { inner: Arc::new(tokens) }
    }
}

/// Finds the enrichments of all tokens of a head. With a folder `cache`, stores them there in files whose names depend
/// on the head and the options, and reads these files if they exist.
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
        let use_equal_steps = options.use_equal_steps;
        let options = options.parse()?;
        let folder = cache.as_deref().map(Path::new);
        Ok(NativeTokenVectors::from(TokenVectors::find(&head, options, use_equal_steps, folder, &control)?))
    })
}

/// Returns the rows of the decoder of a head as token vectors.
#[napi(ts_return_type = "Promise<NativeTokenVectors>", catch_unwind)]
pub fn static_embeddings<'env>(env: &'env Env, projection: &NativeProjection) -> napi::Result<Object<'env>> {
    let head = Arc::clone(&projection.head);
    spawn(env, move || Ok(NativeTokenVectors::from(TokenVectors::decoder_rows(&head)?)))
}

#[napi]
impl NativeTokenVectors {
    #[napi(getter, catch_unwind)]
    pub fn dim(&self) -> u32 {
        self.inner.vectors.dim as u32
    }

    /// A string that differs between heads, options, and kinds of token vectors.
    #[napi(getter, catch_unwind)]
    pub fn identity(&self) -> String {
        self.inner.identity.clone()
    }

    /// The cross-entropy of each enrichment, in nats. Empty for rows of the decoder, as are `bounds` and `steps`.
    #[napi(catch_unwind)]
    pub fn losses(&self) -> Float32Array {
        self.inner.vectors.losses.clone().into()
    }

    /// For each token, a lower bound on the cross-entropy of every possible vector, in nats.
    #[napi(catch_unwind)]
    pub fn bounds(&self) -> Float32Array {
        self.inner.vectors.bounds.clone().into()
    }

    /// Number of optimizer steps of each token.
    #[napi(catch_unwind)]
    pub fn steps(&self) -> Uint32Array {
        self.inner.vectors.steps.clone().into()
    }
}
