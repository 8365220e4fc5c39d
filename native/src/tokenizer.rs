use std::path::Path;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Object, Uint32Array};
use napi_derive::napi;
use tokenize::Tokenizer;

use crate::control::{Control, or_new};
use crate::task::{call, spawn};

/// The word pieces of several texts, those of one after those of the text before.
#[napi(object)]
pub struct NativePieceLists {
    pub ids: Uint32Array,
    /// Of each text.
    pub counts: Uint32Array,
}

#[napi]
pub struct NativeTokenizer {
    inner: Arc<Tokenizer>,
}

/// Opens a `tokenizer.json`.
#[napi(ts_return_type = "Promise<NativeTokenizer>", catch_unwind)]
pub fn open_tokenizer(env: &Env, file: String) -> napi::Result<Object<'_>> {
    spawn(env, move || Ok(NativeTokenizer { inner: Arc::new(Tokenizer::open(Path::new(&file))?) }))
}

#[napi]
impl NativeTokenizer {
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.inner.vocabulary_size() as u32
    }

    /// Without special tokens.
    #[napi(catch_unwind)]
    pub fn tokenize(&self, text: String) -> napi::Result<Uint32Array> {
        call(|| Ok(self.inner.pieces(&text)?.ids.into()))
    }

    /// The same of many texts.
    #[napi(ts_return_type = "Promise<NativePieceLists>", catch_unwind)]
    pub fn tokenize_many<'env>(
        &self,
        env: &'env Env,
        texts: Vec<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let tokenizer = Arc::clone(&self.inner);
        let control = or_new(control);
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

    /// A piece as the vocabulary writes it; none for an id that no piece has.
    #[napi(catch_unwind)]
    pub fn token(&self, id: u32) -> napi::Result<Option<String>> {
        call(|| Ok(self.inner.piece_text(id)))
    }
}
