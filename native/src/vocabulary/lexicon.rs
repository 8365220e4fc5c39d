//! Adds lexical vectors of texts to their dense vectors (Ram et al., 2023, "What Are You Token About? Dense Retrieval
//! as Distributions Over the Vocabulary", §6). The lexical vector of a text is the weighted mean of the vectors of its
//! word pieces.

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

/// Makes a lexicon from the vectors of a head's tokens. `whitening` says how they are whitened first: `principal`,
/// `aligned` (PCA and ZCA whitening) or null. `weights` are the weights of the word pieces; null means 1 for each. With
/// `unit`, lexical vectors have length 1.
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
        let (found, piece_count) = (&token_vectors.vectors, tokenizer.vocabulary_size());
        let lexicon = Lexicon::from_head(found.dim, &found.vectors, piece_count, weights, whitening, unit)?;
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
    /// Adds λ times the lexical vector of each text to its vector in `vectors`, `[texts, dim]`; with `renormalize`, the
    /// sum is scaled to length 1. An empty title means no title.
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

    /// Adds λ times the vectors `lexical`, which were computed before, to `vectors`, as `add` does.
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
