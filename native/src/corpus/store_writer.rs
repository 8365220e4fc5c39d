//! Writes passages from JavaScript to a passage store.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use corpus::{Passage, PassageStoreWriter};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::call::{Failure, spawn};

/// A passage store that is being written.
#[napi]
pub struct NativeStoreWriter {
    /// `None` once the file is finished or discarded.
    inner: Arc<Mutex<Option<PassageStoreWriter>>>,
}

#[napi(ts_return_type = "Promise<NativeStoreWriter>", catch_unwind)]
pub fn create_passage_store(env: &Env, path: String) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let writer = PassageStoreWriter::create(Path::new(&path))?;
        Ok(NativeStoreWriter { inner: Arc::new(Mutex::new(Some(writer))) })
    })
}

#[napi]
impl NativeStoreWriter {
    /// Appends passages. An empty title means no title.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn push<'env>(
        &self,
        env: &'env Env,
        ids: Vec<String>,
        titles: Vec<String>,
        texts: Vec<String>,
    ) -> napi::Result<Object<'env>> {
        let writer = Arc::clone(&self.inner);
        spawn(env, move || {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = writer.as_mut().ok_or_else(|| Failure::closed("passage store"))?;
            for ((id, title), text) in ids.into_iter().zip(titles).zip(texts) {
                let title = Some(title).filter(|title| !title.is_empty());
                writer.push(&Passage { id, title, text })?;
            }
            Ok(())
        })
    }

    /// Completes the file.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn finish<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let writer = Arc::clone(&self.inner);
        spawn(env, move || {
            let writer = writer.lock().unwrap_or_else(PoisonError::into_inner).take();
            writer.ok_or_else(|| Failure::closed("passage store"))?.finish(serde_json::Value::Null)?;
            Ok(())
        })
    }

    /// Discards the file, unless it was finished.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        *self.inner.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
