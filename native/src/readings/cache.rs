use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use inference::{LongPassages, ReaderConfig};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use reading::{ReadingCache, SpanLimits};

use crate::error::Failure;
use crate::reading::{NativeReader, Opened};
use crate::task::{Outcome, call, spawn};

#[napi(object)]
pub struct NativeSpanLimits {
    pub spans_per_passage: u32,
    pub max_answer_tokens: u32,
}

impl NativeSpanLimits {
    pub(super) fn limits(&self) -> SpanLimits {
        SpanLimits { max_spans: self.spans_per_passage as usize, max_tokens: self.max_answer_tokens as usize }
    }
}

/// An open file of readings.
#[napi]
pub struct NativeReadingCache {
    pub(super) inner: Option<Arc<Mutex<ReadingCache>>>,
    pub(super) identity: String,
}

/// Opens or creates the file for readings of this reader within these limits.
#[napi(ts_return_type = "Promise<NativeReadingCache>", catch_unwind)]
pub fn open_reading_cache<'env>(
    env: &'env Env,
    path: String,
    reader: &NativeReader,
    limits: NativeSpanLimits,
) -> napi::Result<Object<'env>> {
    let opened = Arc::clone(&reader.opened);
    spawn(env, move || {
        let identity = identity(&opened, limits.limits())?;
        let cache = ReadingCache::open(Path::new(&path), &identity)?;
        Ok(NativeReadingCache { inner: Some(Arc::new(Mutex::new(cache))), identity })
    })
}

#[napi]
impl NativeReadingCache {
    /// Readings in the file.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> napi::Result<f64> {
        call(|| {
            let cache = self.inner.as_ref().ok_or_else(|| Failure::closed("cache of readings"))?;
            Ok(cache.lock().unwrap_or_else(PoisonError::into_inner).len() as f64)
        })
    }

    /// Bytes that were skipped when the file was opened, because they belong to no valid reading.
    #[napi(getter, catch_unwind)]
    pub fn damaged_bytes(&self) -> napi::Result<f64> {
        call(|| {
            let cache = self.inner.as_ref().ok_or_else(|| Failure::closed("cache of readings"))?;
            Ok(cache.lock().unwrap_or_else(PoisonError::into_inner).damaged_bytes() as f64)
        })
    }

    /// Gives the file back; calls in progress finish.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.inner = None;
    }
}

/// All on which readings depend, in words; the files are read once for each reader.
pub(super) fn identity(opened: &Opened, limits: SpanLimits) -> Outcome<String> {
    let files = match opened.digests.get() {
        Some(digests) => digests,
        None => {
            let model = Path::new(&opened.files.model);
            // Weights that exporters put beside the graph.
            let beside = [".data", "_data"].map(|end| format!("{}{end}", opened.files.model));
            let beside = beside.iter().map(Path::new).filter(|path| path.is_file());
            let model = reading::files_sha256(&std::iter::once(model).chain(beside).collect::<Vec<_>>())?;
            let tokenizer = reading::files_sha256(&[Path::new(&opened.files.tokenizer)])?;
            opened.digests.get_or_init(|| format!("model {model}, tokenizer {tokenizer}"))
        }
    };
    // Named one by one, so that a new field has to be thought of here. Batches change an int8 model's logits a little, but
    // two readings of a passage may be of different batches anyway.
    let ReaderConfig { max_tokens, max_question_tokens, batch_tokens: _, long_passages, titles, open_ended } =
        opened.config;
    let SpanLimits { max_spans, max_tokens: max_answer_tokens } = limits;
    let long = match long_passages {
        LongPassages::Cut => "cut".to_owned(),
        LongPassages::Windows { overlap_tokens: None } => "window".to_owned(),
        LongPassages::Windows { overlap_tokens: Some(tokens) } => format!("window, overlapTokens {tokens}"),
    };
    let titles = titles.map_or(String::new(), |titles| format!(", titles {titles}"));
    let form = if open_ended { ", open-ended" } else { "" };
    let passage = format!(
        "maxTokens {max_tokens}, maxQuestionTokens {max_question_tokens}, longPassages {long}{titles}{form}"
    );
    Ok(format!("{files}, {passage}, spansPerPassage {max_spans}, maxAnswerTokens {max_answer_tokens}"))
}

/// Digests of a reader's files, once they are known.
pub type Digests = OnceLock<String>;
