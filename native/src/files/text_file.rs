//! Writes a text file piece by piece for TypeScript.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use corpus::TextWriter;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::call::{Control, Failure, control_or_new, spawn};

/// A text file that is being written. It replaces an existing file when it is finished.
#[napi]
pub struct NativeTextFile {
    /// `None` once the file is finished or discarded.
    inner: Arc<Mutex<Option<TextWriter>>>,
}

/// Creates a text file, or opens a FIFO or a device. `control` cancels this call and all later writes.
#[napi(ts_return_type = "Promise<NativeTextFile>", catch_unwind)]
pub fn create_text_file<'env>(
    env: &'env Env,
    path: String,
    gzip: bool,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = control_or_new(control);
    spawn(env, move || {
        let writer = TextWriter::create(Path::new(&path), gzip, control)?;
        Ok(NativeTextFile { inner: Arc::new(Mutex::new(Some(writer))) })
    })
}

#[napi]
impl NativeTextFile {
    /// Appends a piece of text.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn push<'env>(&self, env: &'env Env, text: String) -> napi::Result<Object<'env>> {
        let writer = Arc::clone(&self.inner);
        spawn(env, move || {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            writer.as_mut().ok_or_else(|| Failure::closed("file"))?.push(&text)?;
            Ok(())
        })
    }

    /// Completes the file.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn finish<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let writer = Arc::clone(&self.inner);
        spawn(env, move || {
            let writer = writer.lock().unwrap_or_else(PoisonError::into_inner).take();
            writer.ok_or_else(|| Failure::closed("file"))?.finish()?;
            Ok(())
        })
    }

    /// Discards the file, unless it was finished.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn discard<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let writer = Arc::clone(&self.inner);
        spawn(env, move || {
            drop(writer.lock().unwrap_or_else(PoisonError::into_inner).take());
            Ok(())
        })
    }
}
