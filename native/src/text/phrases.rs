//! Splits texts into phrases, which are parts of a passage: one or more sentences, or a number of word pieces.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Object, Uint32Array};
use napi_derive::napi;
use phrases::Segmenter;
use text::Utf16Offsets;
use tokenize::Tokenizer;

use crate::call::{CallResult, Control, call_sync, control_or_new, spawn};

/// Half-open ranges of phrases in UTF-16 code units, one text after another.
#[napi(object)]
pub struct PhrasePlaces {
    /// Number of phrases of each text.
    pub counts: Uint32Array,
    pub starts: Uint32Array,
    pub ends: Uint32Array,
}

impl PhrasePlaces {
    fn of<T: AsRef<str>>(texts: &[T], phrases: &[Vec<Range<usize>>]) -> CallResult<Self> {
        let total = phrases.iter().map(Vec::len).sum();
        let (mut starts, mut ends) = (Vec::with_capacity(total), Vec::with_capacity(total));
        for (text, phrases) in texts.iter().zip(phrases) {
            let offsets = Utf16Offsets::new(text.as_ref());
            for phrase in phrases {
                starts.push(offsets.of(phrase.start)? as u32);
                ends.push(offsets.of(phrase.end)? as u32);
            }
        }
        let counts: Vec<u32> = phrases.iter().map(|phrases| phrases.len() as u32).collect();
        Ok(Self { counts: counts.into(), starts: starts.into(), ends: ends.into() })
    }
}

/// Splits texts into phrases of sentences or of word pieces.
#[napi]
pub struct NativeSegmenter {
    inner: Arc<Segmenter>,
}

/// Opens a segmenter for phrases of `length` sentences or, given the path of a `tokenizer.json`, of at most `length`
/// word pieces; only a phrase that is a single word can have more.
#[napi(ts_return_type = "Promise<NativeSegmenter>", catch_unwind)]
pub fn open_segmenter(env: &Env, length: u32, tokenizer: Option<String>) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let inner = match tokenizer {
            None => Segmenter::by_sentences(length as usize)?,
            Some(path) => {
                let tokenizer = Arc::new(Tokenizer::open(Path::new(&path))?);
                Segmenter::by_pieces(length as usize, tokenizer)?
            }
        };
        Ok(NativeSegmenter { inner: Arc::new(inner) })
    })
}

#[napi]
impl NativeSegmenter {
    /// Splits one text on the JavaScript thread.
    #[napi(catch_unwind)]
    pub fn segment(&self, text: String) -> napi::Result<PhrasePlaces> {
        call_sync(|| {
            let phrases = self.inner.segment(&text, &control::Control::new())?;
            PhrasePlaces::of(&[text], &[phrases])
        })
    }

    /// Splits several texts on another thread.
    #[napi(ts_return_type = "Promise<PhrasePlaces>", catch_unwind)]
    pub fn segment_many<'env>(
        &self,
        env: &'env Env,
        texts: Vec<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let segmenter = Arc::clone(&self.inner);
        let control = control_or_new(control);
        spawn(env, move || {
            let phrases = segmenter.segment_many(&texts, &control)?;
            PhrasePlaces::of(&texts, &phrases)
        })
    }
}
