//! Weights of word pieces: inverse document frequencies, from passages that are counted here or from a BM25 index, or
//! weights that the caller gives for some of the pieces.

use std::sync::Arc;

use ::vocabulary::{PieceCounts, distinct_pieces, inverse_document_frequencies, weights_by_name};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object};
use napi_derive::napi;
use tokenize::Tokenizer;

use super::projection::NativeProjection;
use crate::call::{Failure, spawn};
use crate::sparse::NativeBm25Index;

/// Counts how many passages contain each word piece. JavaScript calls `pieces`, which runs on another thread, for some
/// passages at a time, and adds each result with `count`.
#[napi]
pub struct NativePieceCounts {
    tokenizer: Arc<Tokenizer>,
    counts: PieceCounts,
}

/// The distinct word pieces of several texts.
#[napi]
pub struct NativePieces {
    pieces: Vec<Vec<u32>>,
}

#[napi]
impl NativePieceCounts {
    #[napi(constructor, catch_unwind)]
    pub fn new(projection: &NativeProjection) -> Self {
        let tokenizer = Arc::clone(&projection.tokenizer);
        let counts = PieceCounts::new(tokenizer.vocabulary_size());
        Self { tokenizer, counts }
    }

    /// Returns the distinct pieces of each text and its title. `titles` may be shorter than `texts`.
    #[napi(ts_return_type = "Promise<NativePieces>", catch_unwind)]
    pub fn pieces<'env>(
        &self,
        env: &'env Env,
        texts: Vec<String>,
        titles: Vec<String>,
    ) -> napi::Result<Object<'env>> {
        let tokenizer = Arc::clone(&self.tokenizer);
        spawn(env, move || Ok(NativePieces { pieces: distinct_pieces(&tokenizer, &texts, &titles)? }))
    }

    /// Adds passages to the counts, given the result of `pieces`.
    #[napi(catch_unwind)]
    pub fn count(&mut self, pieces: &NativePieces) {
        self.counts.add(&pieces.pieces);
    }

    /// Returns the inverse document frequency of every piece, over the passages that were counted.
    #[napi(catch_unwind)]
    pub fn weights(&self) -> Float32Array {
        self.counts.weights().into()
    }
}

/// Returns the inverse document frequency, over the passages of a BM25 index, of every piece of the head's tokenizer.
/// Fails unless the terms of the index are the pieces of the same tokenizer.
#[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
pub fn piece_weights_in<'env>(
    env: &'env Env,
    index: &NativeBm25Index,
    projection: &NativeProjection,
) -> napi::Result<Object<'env>> {
    let (index, tokenizer) = (index.opened(), Arc::clone(&projection.tokenizer));
    spawn(env, move || {
        let searcher = index?.searcher();
        let doc_freqs = searcher.piece_doc_freqs(&tokenizer)?.ok_or_else(|| {
            let analyzer = searcher.analyzer();
            let got = analyzer.name();
            let message =
                format!("idf: expected an index of the head's word pieces, got one with the analyzer {got}");
            let has_pieces = analyzer.tokenizer_sha256().is_some();
            let suffix = if has_pieces { " and another vocabulary" } else { "" };
            Failure::new("ERR_ANALYZER_MISMATCH", message + suffix)
        })?;
        Ok(Float32Array::from(inverse_document_frequencies(searcher.len(), &doc_freqs)))
    })
}

/// Returns the weight of every piece of the tokenizer. `pieces[i]`, a piece as it is written in the vocabulary, has the
/// weight `weights[i]`; all other pieces have the weight 0.
#[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
pub fn piece_weights_of<'env>(
    env: &'env Env,
    projection: &NativeProjection,
    pieces: Vec<String>,
    weights: &[f32],
) -> napi::Result<Object<'env>> {
    let (tokenizer, weights) = (Arc::clone(&projection.tokenizer), weights.to_vec());
    spawn(env, move || Ok(Float32Array::from(weights_by_name(&tokenizer, &pieces, &weights)?)))
}
