//! Splits texts into word pieces.

use std::path::Path;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Object, Uint32Array};
use napi_derive::napi;
use tokenize::Tokenizer;

use crate::call::{Control, call_sync, control_or_new, spawn};

/// The word pieces of several texts, one text after another.
#[napi(object)]
pub struct NativePieceLists {
    pub ids: Uint32Array,
    /// Number of word pieces of each text.
    pub counts: Uint32Array,
}

/// An open word-piece tokenizer.
#[napi]
pub struct NativeTokenizer {
    inner: Arc<Tokenizer>,
}

/// Opens a tokenizer, given the path of its `tokenizer.json`.
#[napi(ts_return_type = "Promise<NativeTokenizer>", catch_unwind)]
pub fn open_tokenizer(env: &Env, file: String) -> napi::Result<Object<'_>> {
    spawn(env, move || Ok(NativeTokenizer { inner: Arc::new(Tokenizer::open(Path::new(&file))?) }))
}

#[napi]
impl NativeTokenizer {
    /// Size of the vocabulary.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.inner.vocabulary_size() as u32
    }

    /// Returns the ids of the word pieces of a text, without special tokens.
    #[napi(catch_unwind)]
    pub fn tokenize(&self, text: String) -> napi::Result<Uint32Array> {
        call_sync(|| Ok(self.inner.pieces(&text)?.ids.into()))
    }

    /// Does the same as `tokenize` for many texts, on another thread.
    #[napi(ts_return_type = "Promise<NativePieceLists>", catch_unwind)]
    pub fn tokenize_many<'env>(
        &self,
        env: &'env Env,
        texts: Vec<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let tokenizer = Arc::clone(&self.inner);
        let control = control_or_new(control);
        spawn(env, move || {
            let (mut ids, mut counts) = (Vec::new(), Vec::with_capacity(texts.len()));
            for text in &texts {
                control.check()?;
                let pieces = tokenizer.pieces(text)?;
                counts.push(pieces.len() as u32);
                ids.extend(pieces.ids);
                control.advance(1);
            }
            Ok(NativePieceLists { ids: ids.into(), counts: counts.into() })
        })
    }

    /// Returns a word piece as it is written in the vocabulary, or null if no piece has this id.
    #[napi(catch_unwind)]
    pub fn token(&self, id: u32) -> napi::Result<Option<String>> {
        call_sync(|| Ok(self.inner.piece_text(id)))
    }
}
