//! Adds lexical vectors of texts to their dense vectors (Ram et al., 2023, "What Are You Token About? Dense Retrieval
//! as Distributions Over the Vocabulary", §6). The lexical vector of a text is the mean of the vectors of its word
//! pieces, each multiplied by the weight of the piece; optionally, this mean is scaled to length 1.

use std::sync::Arc;

use ::vocabulary::{Lexicon, Whitening, add_lexical, title_and_text_pieces};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object};
use napi_derive::napi;
use tokenize::Tokenizer;

use super::projection::NativeProjection;
use super::token_vectors::NativeTokenVectors;
use crate::call::{CallResult, Failure, spawn};

/// Computes lexical vectors of texts.
#[napi]
pub struct NativeLexicon {
    lexicon: Arc<Lexicon>,
    tokenizer: Arc<Tokenizer>,
}

/// Makes a lexicon from the vectors of the tokens of a head. `whitening` says how these vectors are whitened first:
/// `principal` (PCA whitening) or `aligned` (ZCA whitening); by default, they are not whitened. `weights` has a weight
/// for each word piece; by default, all weights are 1. With `unit`, lexical vectors have length 1. The tokenizer is
/// that of `projection`.
#[napi(ts_return_type = "Promise<NativeLexicon>", catch_unwind)]
pub fn open_lexicon<'env>(
    env: &'env Env,
    tokens: &NativeTokenVectors,
    projection: &NativeProjection,
    weights: Option<Float32Array>,
    whitening: Option<String>,
    unit: bool,
) -> napi::Result<Object<'env>> {
    let token_vectors = tokens.tokens();
    let weights = weights.map(|weights| weights.to_vec());
    let tokenizer = Arc::clone(&projection.tokenizer);
    spawn(env, move || {
        let whitening = whitening.as_deref().map(parse_whitening).transpose()?;
        let (head, piece_count) = (&token_vectors.vectors, tokenizer.vocabulary_size());
        let lexicon = Lexicon::from_head(head.dim, &head.vectors, piece_count, weights, whitening, unit)?;
        Ok(NativeLexicon { lexicon: Arc::new(lexicon), tokenizer })
    })
}

fn parse_whitening(name: &str) -> CallResult<Whitening> {
    match name {
        "principal" => Ok(Whitening::Principal),
        "aligned" => Ok(Whitening::Aligned),
        other => Err(Failure::argument(format!(
            "whitening: expected principal, aligned or false, got \"{other}\""
        ))),
    }
}

#[napi]
impl NativeLexicon {
    /// Adds `lambda` times the lexical vector of each text to the text's vector in `vectors`, `[texts, dim]`; with
    /// `renormalize`, the sum is scaled to length 1. An empty title means no title.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    #[allow(clippy::too_many_arguments, reason = "each column is an argument")]
    pub fn add<'env>(
        &self,
        env: &'env Env,
        texts: Vec<String>,
        titles: Vec<String>,
        vectors: &[f32],
        lambda: f64,
        renormalize: bool,
    ) -> napi::Result<Object<'env>> {
        let (lexicon, tokenizer) = (Arc::clone(&self.lexicon), Arc::clone(&self.tokenizer));
        let mut vectors = vectors.to_vec();
        spawn(env, move || {
            if vectors.len() != texts.len() * lexicon.dim() {
                return Err(Failure::argument("vectors: expected one for each text"));
            }
            lexicon.add(
                &title_and_text_pieces(&tokenizer, &texts, &titles)?,
                lambda,
                renormalize,
                &mut vectors,
            )?;
            Ok(Float32Array::from(vectors))
        })
    }

    /// Does the same as `add` with lexical vectors that were computed before: adds `lambda` times `lexical` to
    /// `vectors`. Both are `[texts, dim]`.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    pub fn add_lexical<'env>(
        &self,
        env: &'env Env,
        vectors: &[f32],
        lexical: &[f32],
        lambda: f64,
        renormalize: bool,
    ) -> napi::Result<Object<'env>> {
        let dim = self.lexicon.dim();
        let (mut vectors, lexical) = (vectors.to_vec(), lexical.to_vec());
        spawn(env, move || {
            if vectors.len() != lexical.len() || !vectors.len().is_multiple_of(dim) {
                return Err(Failure::argument("lexical: expected one vector for each of the vectors"));
            }
            add_lexical(&mut vectors, &lexical, dim, lambda, renormalize);
            Ok(Float32Array::from(vectors))
        })
    }
}
