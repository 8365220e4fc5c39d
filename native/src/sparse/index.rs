//! An open BM25 index and its searches.

use std::path::PathBuf;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint8Array};
use napi_derive::napi;
use ranking::{Hit, RetrievedRun};
use serving::MAX_QUICK_TIME;
use sparse::{Bm25, Bm25Index, Filter, Repair};

use super::analyzer::NativeAnalyzer;
use super::explanation::NativeExplanation;
use super::queries::{QueryBatch, SearcherIds, to_hits};
use crate::call::{CallResult, Control, Failure, call_sync, control_or_new, spawn};
use crate::files::NativeOpenOptions;
use crate::runs::{IdsOfIndex, JavaScriptIds, NativeRun, U32Buffer};

fn params(k1: f64, b: f64) -> Bm25 {
    Bm25 { k1: k1 as f32, b: b as f32 }
}

/// Parses a filter, which JavaScript has checked and passes as JSON.
fn parse_filter(filter: Option<String>) -> CallResult<Option<Filter>> {
    let filter = filter.map(|json| serde_json::from_str(&json)).transpose();
    filter.map_err(|error| Failure::argument(format!("cannot parse the filter: {error}")))
}

/// An open BM25 index.
#[napi]
pub struct NativeBm25Index {
    /// `None` once the index is closed.
    inner: Option<Arc<Bm25Index>>,
    path: PathBuf,
    known_ids: Arc<JavaScriptIds>,
}

/// Opens an index. If an analyzer is given, fails if the analyzer of the index differs from it.
#[napi(ts_return_type = "Promise<NativeBm25Index>", catch_unwind)]
pub fn open_bm25_index(
    env: &Env,
    path: String,
    analyzer: Option<NativeAnalyzer>,
    options: NativeOpenOptions,
) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let expected = analyzer.map(NativeAnalyzer::load).transpose()?;
        let path = PathBuf::from(path);
        let index = Bm25Index::open_with(&path, expected, options.parse())?;
        let path = std::path::absolute(&path).unwrap_or(path);
        Ok(NativeBm25Index { inner: Some(Arc::new(index)), path, known_ids: Arc::default() })
    })
}

/// The result of a repair.
#[napi(object)]
pub struct NativeRepair {
    /// Number of missing or corrupt impact files (a segment's file with its terms and postings) that were rebuilt from
    /// stored passages.
    pub rebuilt_files: f64,
}

/// Repairs the index in a folder and checks all of its files.
#[napi(ts_return_type = "Promise<NativeRepair>", catch_unwind)]
pub fn repair_bm25_index(env: &Env, path: String) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let Repair { rebuilt_files } = Bm25Index::repair(&PathBuf::from(path))?;
        Ok(NativeRepair { rebuilt_files: rebuilt_files as f64 })
    })
}

impl NativeBm25Index {
    /// Returns the index. Fails with `ERR_CLOSED` if it is closed.
    pub fn opened(&self) -> CallResult<Arc<Bm25Index>> {
        self.inner.clone().ok_or_else(|| Failure::closed("index"))
    }
}

#[napi]
impl NativeBm25Index {
    /// Number of passages.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> napi::Result<u32> {
        call_sync(|| Ok(self.opened()?.len() as u32))
    }

    #[napi(getter, catch_unwind)]
    pub fn analyzer(&self) -> napi::Result<NativeAnalyzer> {
        call_sync(|| Ok(NativeAnalyzer::describe(&self.opened()?.analyzer(), &self.path)))
    }

    /// The JSON that the writer recorded with the commit that this index has open; `null` if it recorded none.
    #[napi(getter, catch_unwind)]
    pub fn state(&self) -> napi::Result<String> {
        call_sync(|| Ok(self.opened()?.searcher().state().to_string()))
    }

    /// Returns the terms of a text.
    #[napi(catch_unwind)]
    pub fn terms(&self, text: String) -> napi::Result<Vec<String>> {
        call_sync(|| Ok(self.opened()?.analyzer().tokens(&text)))
    }

    /// Searches on the JavaScript thread. Writes the number of hits, the bits of their f32 scores, and the slots of their
    /// ids to `buffer`, and returns the ids that JavaScript does not have yet as JSON (see [`JavaScriptIds::write`]).
    /// Returns null if the search would probably take longer than a quarter of a millisecond or turns out to take over
    /// half a millisecond, if it may have to read from a disk, if the query is very long, or if `buffer` is too short.
    /// `k1` and `b` are the parameters of BM25.
    #[napi(catch_unwind)]
    pub fn search_if_quick(
        &self,
        query: String,
        k: u32,
        k1: f64,
        b: f64,
        #[napi(ts_arg_type = "Uint32Array")] buffer: U32Buffer<'_>,
    ) -> napi::Result<Option<String>> {
        call_sync(|| {
            let (searcher, k) = (self.opened()?.searcher(), k as usize);
            let size = searcher.len() as usize;
            if JavaScriptIds::max_hits(buffer).is_none_or(|max_hits| k.min(size) > max_hits) {
                return Ok(None);
            }
            let hits = searcher.search_if_quick(&query, k, params(k1, b), MAX_QUICK_TIME)?;
            let Some(hits) = hits else { return Ok(None) };
            let visit = |hits: &[Hit], visit: &mut dyn FnMut(&str)| Ok(searcher.for_each_id(hits, visit)?);
            self.known_ids.write((searcher.number(), size), &hits, buffer, visit).map(Some)
        })
    }

    #[napi(ts_return_type = "Promise<Hits>", catch_unwind)]
    #[allow(clippy::too_many_arguments)]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: String,
        k: u32,
        k1: f64,
        b: f64,
        filter: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control) = (self.opened(), control_or_new(control));
        spawn(env, move || {
            let searcher = index?.searcher();
            let filtered = searcher.filtered(parse_filter(filter)?.as_ref(), &control)?;
            let hits = filtered.search(&query, k as usize, params(k1, b), &control)?;
            to_hits(&searcher, &hits)
        })
    }

    /// Searches with weighted terms, to which the analyzer is not applied.
    #[napi(ts_return_type = "Promise<Hits>", catch_unwind)]
    #[allow(clippy::too_many_arguments)]
    pub fn search_terms<'env>(
        &self,
        env: &'env Env,
        terms: Vec<String>,
        weights: Float32Array,
        k: u32,
        k1: f64,
        b: f64,
        filter: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control) = (self.opened(), control_or_new(control));
        let terms: Vec<(String, f32)> = terms.into_iter().zip(weights.iter().copied()).collect();
        spawn(env, move || {
            let searcher = index?.searcher();
            let filtered = searcher.filtered(parse_filter(filter)?.as_ref(), &control)?;
            let hits = filtered.search_terms(&terms, k as usize, params(k1, b), &control)?;
            to_hits(&searcher, &hits)
        })
    }

    /// Searches with each query of a batch. Empties the batch.
    #[napi(ts_return_type = "Promise<NativeRun>", catch_unwind)]
    #[allow(clippy::too_many_arguments)]
    pub fn search_many<'env>(
        &self,
        env: &'env Env,
        batch: &mut QueryBatch,
        k: u32,
        k1: f64,
        b: f64,
        threads: u32,
        filter: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control) = (self.opened(), control_or_new(control));
        let QueryBatch { ids, texts } = std::mem::take(batch);
        let known = Arc::clone(&self.known_ids);
        spawn(env, move || {
            let searcher = index?.searcher();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let filtered = searcher.filtered(parse_filter(filter)?.as_ref(), &control)?;
            let lists =
                filtered.search_many(&texts, k as usize, params(k1, b), threads as usize, &control)?;
            let ids_of_index = IdsOfIndex { known, space: searcher.number(), size: searcher.len() as usize };
            let ids_of_hits = Box::new(SearcherIds(Arc::clone(&searcher)));
            Ok(NativeRun::of_index(RetrievedRun::new(ids, lists, ids_of_hits)?, ids_of_index))
        })
    }

    #[napi(ts_return_type = "Promise<NativeExplanation>", catch_unwind)]
    pub fn explain<'env>(
        &self,
        env: &'env Env,
        query: String,
        id: String,
        k1: f64,
        b: f64,
    ) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            let explained = index?.searcher().explain(&query, &id, params(k1, b))?;
            Ok(NativeExplanation::from(explained))
        })
    }

    /// Returns the fields of a passage, as JSON.
    #[napi(ts_return_type = "Promise<string>", catch_unwind)]
    pub fn fields<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            let fields = index?.searcher().fields(&id)?;
            serde_json::to_string(&fields).map_err(|error| Failure::internal(error.to_string()))
        })
    }

    /// For each id, returns 1 if its passage matches a filter (JSON), 0 if it does not, and 2 if there is no such
    /// passage.
    #[napi(ts_return_type = "Promise<Uint8Array>", catch_unwind)]
    pub fn matching<'env>(
        &self,
        env: &'env Env,
        ids: Vec<String>,
        filter: String,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control) = (self.opened(), control_or_new(control));
        spawn(env, move || {
            let searcher = index?.searcher();
            let ords = searcher.filtered(parse_filter(Some(filter))?.as_ref(), &control)?.ords();
            let flag = |id: &String| Ok(searcher.ord(id)?.map_or(2, |ord| u8::from(ords.contains(ord))));
            let flags = ids.iter().map(flag).collect::<CallResult<Vec<u8>>>()?;
            Ok(Uint8Array::new(flags))
        })
    }

    /// Switches to the latest commit of the index.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn reload<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || Ok(index?.reload()?))
    }

    /// Compares all files of the index with their checksums.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn verify<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || Ok(index?.verify()?))
    }

    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.inner = None;
    }
}
