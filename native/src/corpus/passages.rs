//! Reads files of passages, batch by batch or into a store.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use corpus::{PassageReader, PassageStoreWriter};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::options::NativeReadFileOptions;
use super::passage::NativePassage;
use crate::call::{Control, control_or_new, spawn};

/// A file or folder of passages that is being read.
#[napi]
pub struct NativePassageReader {
    inner: Arc<Mutex<PassageReader>>,
}

/// Opens a file or folder of passages. `options.format` may be `auto`.
#[napi(ts_return_type = "Promise<NativePassageReader>", catch_unwind)]
pub fn open_passages<'env>(
    env: &'env Env,
    path: String,
    options: NativeReadFileOptions,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = control_or_new(control);
    spawn(env, move || {
        let (format, options) = (options.format.parse()?, options.parse(&control));
        let reader = corpus::open_passages(Path::new(&path), format, &options)?;
        Ok(NativePassageReader { inner: Arc::new(Mutex::new(reader)) })
    })
}

#[napi]
impl NativePassageReader {
    /// Returns the next `count` passages, or fewer at the end.
    #[napi(ts_return_type = "Promise<Array<NativePassage>>", catch_unwind)]
    pub fn next<'env>(
        &self,
        env: &'env Env,
        count: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let reader = Arc::clone(&self.inner);
        let control = control_or_new(control);
        spawn(env, move || {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            let batch = reader.next_batch(count as usize, &control)?;
            Ok(batch.into_iter().map(NativePassage::from).collect::<Vec<_>>())
        })
    }

    /// Number of invalid lines that have been skipped so far.
    #[napi(getter, catch_unwind)]
    pub fn skipped(&self) -> f64 {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).skipped() as f64
    }
}

/// The number of passages that were read, and the number of invalid lines that were skipped.
#[napi(object)]
pub struct Ingested {
    pub passages: u32,
    pub skipped: f64,
}

impl From<corpus::Ingested> for Ingested {
    fn from(corpus::Ingested { passages, skipped }: corpus::Ingested) -> Self {
        Self { passages: passages as u32, skipped: skipped as f64 }
    }
}

/// Copies the passages of a file or folder to a new passage store, the file `output`.
#[napi(ts_return_type = "Promise<Ingested>", catch_unwind)]
pub fn ingest<'env>(
    env: &'env Env,
    source: String,
    options: NativeReadFileOptions,
    output: String,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = control_or_new(control);
    spawn(env, move || {
        let mut reader =
            corpus::open_passages(Path::new(&source), options.format.parse()?, &options.parse(&control))?;
        let mut writer = PassageStoreWriter::create(Path::new(&output))?;
        let ingested = corpus::ingest(&mut reader, &mut writer, &control)?;
        writer.finish(serde_json::Value::Null)?;
        Ok(Ingested::from(ingested))
    })
}
