//! Lexical vectors of texts, added to their dense vectors (Ram et al., 2023, §6).

use std::sync::Arc;

use ::vocabulary::{Lexicon, Whitening, add_lexical, whiten};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object};
use napi_derive::napi;
use tokenize::Tokenizer;

use super::piece_counts::title_and_text_pieces;
use super::projection::NativeProjection;
use super::token_vectors::NativeTokenVectors;
use crate::call::{Failure, spawn};

/// Computes lexical vectors of texts.
#[napi]
pub struct NativeLexicon {
    lexicon: Arc<Lexicon>,
    tokenizer: Arc<Tokenizer>,
}

/// `whitening` is `principal`, `aligned` or null; `weights` are those of the pieces, all 1 if null.
#[napi(ts_return_type = "Promise<NativeLexicon>", catch_unwind)]
pub fn open_lexicon<'env>(
    env: &'env Env,
    tokens: &NativeTokenVectors,
    projection: &NativeProjection,
    weights: Option<Float32Array>,
    whitening: Option<String>,
    unit: bool,
) -> napi::Result<Object<'env>> {
    let (vectors, dim) = (tokens.vectors(), tokens.dimension());
    let weights = weights.map(|weights| weights.to_vec());
    let tokenizer = Arc::clone(&projection.tokenizer);
    spawn(env, move || {
        let (pieces, rows) = (tokenizer.vocabulary_size(), vectors.len() / dim);
        if pieces > rows {
            let message = format!("projection: expected at most the {rows} tokens of the head, got {pieces}");
            return Err(Failure::new("ERR_MODEL", message));
        }
        let mut vectors = vectors.to_vec();
        match whitening.as_deref() {
            None => {}
            Some("principal") => whiten(&mut vectors, dim, Whitening::Principal),
            Some("aligned") => whiten(&mut vectors, dim, Whitening::Aligned),
            Some(other) => {
                let message = format!("whitening: expected principal, aligned or false, got \"{other}\"");
                return Err(Failure::argument(message));
            }
        }
        // Heads are padded to round sizes; no text has the tokens of the padding.
        let weights = weights.map(|mut weights| {
            weights.resize(rows, 0.0);
            weights
        });
        let lexicon = Arc::new(Lexicon::new(dim, vectors, weights, unit)?);
        Ok(NativeLexicon { lexicon, tokenizer })
    })
}

#[napi]
impl NativeLexicon {
    /// Adds λ times the lexical vector of each text to its vector in `vectors`, `[texts, dim]`; with `renormalize`, the sum is
    /// scaled to length 1. An empty title means no title.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    #[allow(clippy::too_many_arguments, reason = "columns cross one by one")]
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

    /// `add` for lexical vectors that were computed before.
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
