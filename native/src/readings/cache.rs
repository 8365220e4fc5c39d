//! A file that stores readings, so that no passage is read twice for the same question. A reading is what the reader
//! model returns for one question and one passage.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use reading::ReadingCache;

use super::options::NativeSpanLimits;
use crate::call::{CallResult, Failure, call_sync, spawn};
use crate::models::NativeReader;

/// An open file of readings.
#[napi]
pub struct NativeReadingCache {
    /// `None` once the cache is closed.
    file: Option<Arc<Mutex<ReadingCache>>>,
    /// Identifies the reader and the span limits with which all readings in the file were made.
    pub(super) identity: String,
}

impl NativeReadingCache {
    pub(super) fn file(&self) -> CallResult<Arc<Mutex<ReadingCache>>> {
        self.file.clone().ok_or_else(|| Failure::closed("cache of readings"))
    }
}

/// Opens or creates a file for readings by `reader` with these span limits. Fails if the file's readings were made by
/// another reader or with other limits.
#[napi(ts_return_type = "Promise<NativeReadingCache>", catch_unwind)]
pub fn open_reading_cache<'env>(
    env: &'env Env,
    path: String,
    reader: &NativeReader,
    limits: NativeSpanLimits,
) -> napi::Result<Object<'env>> {
    let origin = Arc::clone(&reader.origin);
    spawn(env, move || {
        let identity = origin.identity(limits.parse())?;
        let cache = ReadingCache::open(Path::new(&path), &identity)?;
        Ok(NativeReadingCache { file: Some(Arc::new(Mutex::new(cache))), identity })
    })
}

#[napi]
impl NativeReadingCache {
    /// Number of readings in the file.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> napi::Result<f64> {
        call_sync(|| Ok(self.file()?.lock().unwrap_or_else(PoisonError::into_inner).len() as f64))
    }

    /// Number of bytes that were skipped when the file was opened, because they belong to no valid reading.
    #[napi(getter, catch_unwind)]
    pub fn damaged_bytes(&self) -> napi::Result<f64> {
        call_sync(|| Ok(self.file()?.lock().unwrap_or_else(PoisonError::into_inner).damaged_bytes() as f64))
    }

    /// Closes the file once calls in progress have finished.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.file = None;
    }
}
