//! Weights of word pieces by how rare they are.

use std::sync::Arc;

use ::vocabulary::inverse_document_frequency;
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object};
use napi_derive::napi;
use tokenize::Tokenizer;

use super::projection::NativeProjection;
use crate::call::{CallResult, Failure, spawn};
use crate::sparse::NativeBm25Index;

/// Counts how many passages contain each piece of a tokenizer.
#[napi]
pub struct NativePieceCounts {
    tokenizer: Arc<Tokenizer>,
    passage_count: u64,
    /// `[pieces]`: number of passages with the piece.
    doc_freqs: Vec<u64>,
}

/// Word pieces of several texts, each piece once per text.
#[napi]
pub struct NativePieces {
    pieces: Vec<Vec<u32>>,
}

#[napi]
impl NativePieceCounts {
    #[napi(constructor, catch_unwind)]
    pub fn new(projection: &NativeProjection) -> Self {
        let tokenizer = Arc::clone(&projection.tokenizer);
        let doc_freqs = vec![0; tokenizer.vocabulary_size()];
        Self { tokenizer, passage_count: 0, doc_freqs }
    }

    /// The pieces of texts. `titles` may be shorter than `texts`.
    #[napi(ts_return_type = "Promise<NativePieces>", catch_unwind)]
    pub fn pieces<'env>(
        &self,
        env: &'env Env,
        texts: Vec<String>,
        titles: Vec<String>,
    ) -> napi::Result<Object<'env>> {
        let tokenizer = Arc::clone(&self.tokenizer);
        spawn(env, move || {
            let mut pieces = title_and_text_pieces(&tokenizer, &texts, &titles)?;
            for pieces in &mut pieces {
                pieces.sort_unstable();
                pieces.dedup();
            }
            Ok(NativePieces { pieces })
        })
    }

    /// Counts the pieces of more passages.
    #[napi(catch_unwind)]
    pub fn count(&mut self, pieces: &NativePieces) {
        for &piece in pieces.pieces.iter().flatten() {
            self.doc_freqs[piece as usize] += 1;
        }
        self.passage_count += pieces.pieces.len() as u64;
    }

    /// The inverse document frequency of every piece.
    #[napi(catch_unwind)]
    pub fn weights(&self) -> Float32Array {
        weights(self.passage_count, &self.doc_freqs)
    }
}

/// The inverse document frequency of every piece of a tokenizer, in an index of the same pieces.
#[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
pub fn piece_weights_in<'env>(
    env: &'env Env,
    index: &NativeBm25Index,
    projection: &NativeProjection,
) -> napi::Result<Object<'env>> {
    let (counts, tokenizer) = (index.piece_counts(), Arc::clone(&projection.tokenizer));
    spawn(env, move || {
        let (passage_count, doc_freqs) = counts?(&tokenizer)?;
        Ok(weights(passage_count, &doc_freqs))
    })
}

/// Weights of pieces by their names; all other pieces have the weight 0.
#[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
pub fn piece_weights_of<'env>(
    env: &'env Env,
    projection: &NativeProjection,
    pieces: Vec<String>,
    weights: &[f32],
) -> napi::Result<Object<'env>> {
    let (tokenizer, weights) = (Arc::clone(&projection.tokenizer), weights.to_vec());
    spawn(env, move || {
        let mut weight_of = vec![0.0; tokenizer.vocabulary_size()];
        for (piece, weight) in pieces.iter().zip(weights) {
            let id = tokenizer.piece_id(piece).ok_or_else(|| {
                Failure::argument(format!(
                    "idf: expected word pieces of the head's tokenizer, got \"{piece}\""
                ))
            })?;
            weight_of[id as usize] = weight;
        }
        Ok(Float32Array::from(weight_of))
    })
}

/// The word pieces of titles followed by texts. An empty title means no title; `titles` may be shorter than `texts`.
pub fn title_and_text_pieces(
    tokenizer: &Tokenizer,
    texts: &[String],
    titles: &[String],
) -> CallResult<Vec<Vec<u32>>> {
    let titles = titles.iter().map(String::as_str).chain(std::iter::repeat(""));
    let pieces = texts.iter().zip(titles).map(|(text, title)| match title {
        "" => tokenizer.pieces(text),
        title => tokenizer.pieces(&format!("{title} {text}")),
    });
    Ok(pieces.map(|pieces| pieces.map(|pieces| pieces.ids)).collect::<Result<_, _>>()?)
}

fn weights(passage_count: u64, doc_freqs: &[u64]) -> Float32Array {
    let weights: Vec<f32> =
        doc_freqs.iter().map(|&doc_freq| inverse_document_frequency(passage_count, doc_freq)).collect();
    weights.into()
}
