//! The handle of an open collection: opening, changing, committing and closing it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use collection::{Collection, CreateOptions, OpenOptions, Put, VectorOptions};
use dense::HnswOptions;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use sparse::Filter;

use super::documents::{DocumentBatch, parse_fields};
use crate::call::{CallResult, Control, Failure, call_sync, control_or_new, spawn, threads};
use crate::dense::{parse_layout, parse_metadata, parse_similarity};
use crate::files::NativeOpenOptions;
use crate::sparse::NativeAnalyzer;

/// A handle of an open collection. Other threads of the process may have handles of the same collection.
#[napi]
pub struct NativeCollection {
    /// `None` once this handle is closed.
    inner: Mutex<Option<Arc<Collection>>>,
}

impl NativeCollection {
    fn new(collection: Arc<Collection>) -> Self {
        Self { inner: Mutex::new(Some(collection)) }
    }
}

impl Drop for NativeCollection {
    /// Closes a handle that was garbage-collected. If it was the last handle of the collection, changes that were not
    /// committed are undone.
    fn drop(&mut self) {
        let inner = self.inner.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(collection) = inner {
            // Closing waits for merges, which would block the event loop.
            threads().spawn(Box::new(move || drop(collection.detach(false)))).ok();
        }
    }
}

/// The vectors of a new collection. `similarity` and `layout` are names, such as `cosine` and `compact`.
#[napi(object)]
pub struct NativeVectorOptions {
    pub dim: u32,
    pub similarity: String,
    pub m: u32,
    pub ef_construction: u32,
    pub seed: u32,
    pub layout: String,
}

impl NativeVectorOptions {
    fn parse(&self) -> CallResult<VectorOptions> {
        let graph = HnswOptions {
            m: self.m as usize,
            ef_construction: self.ef_construction as usize,
            seed: u64::from(self.seed),
            layout: parse_layout(&self.layout)?,
            ..HnswOptions::default()
        };
        let similarity = parse_similarity(&self.similarity)?;
        Ok(VectorOptions { dim: self.dim as usize, similarity, graph })
    }
}

fn open_options(files: &NativeOpenOptions) -> OpenOptions {
    OpenOptions { files: files.parse(), ..OpenOptions::default() }
}

/// Creates a collection in a new or empty folder. `metadata` is JSON.
#[napi(ts_return_type = "Promise<NativeCollection>", catch_unwind)]
pub fn create_collection(
    env: &Env,
    path: String,
    analyzer: NativeAnalyzer,
    vectors: Option<NativeVectorOptions>,
    metadata: String,
    options: NativeOpenOptions,
) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let create = CreateOptions {
            analyzer: analyzer.load()?,
            vectors: vectors.map(|vectors| vectors.parse()).transpose()?,
            metadata: parse_metadata(&metadata)?,
        };
        let inner = Collection::create(Path::new(&path), &create, open_options(&options))?;
        Ok(NativeCollection::new(Arc::new(inner)))
    })
}

/// Opens the last commit of a collection. Fails if it has another analyzer than `analyzer`.
#[napi(ts_return_type = "Promise<NativeCollection>", catch_unwind)]
pub fn open_collection(
    env: &Env,
    path: String,
    options: NativeOpenOptions,
    analyzer: Option<NativeAnalyzer>,
) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let analyzer = analyzer.map(|analyzer| analyzer.load()).transpose()?;
        let inner = Collection::open_expecting(Path::new(&path), analyzer, open_options(&options))?;
        Ok(NativeCollection::new(Arc::new(inner)))
    })
}

/// Opens another handle of an open collection, given a token from `NativeCollection.token`.
#[napi(catch_unwind)]
pub fn attach_collection(token: String) -> napi::Result<NativeCollection> {
    call_sync(|| {
        let expected =
            "attach: expected a handle of a collection that is open in this process, got an unknown handle";
        let collection = Collection::attach(&token).ok_or_else(|| Failure::argument(expected))?;
        Ok(NativeCollection::new(collection))
    })
}

/// Parses a filter, which JavaScript has checked and passes as JSON.
pub fn filter_of(collection: &Collection, filter: Option<&str>) -> CallResult<Option<Filter>> {
    Ok(filter.map(|json| collection.parse_filter(json)).transpose()?)
}

impl NativeCollection {
    /// Returns the collection. Fails with `ERR_CLOSED` if this handle is closed.
    pub fn shared(&self) -> CallResult<Arc<Collection>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clone().ok_or_else(|| Failure::closed("collection"))
    }
}

#[napi]
impl NativeCollection {
    /// Returns a token with which `attachCollection` finds this collection in any thread.
    #[napi(catch_unwind)]
    pub fn token(&self) -> napi::Result<String> {
        call_sync(|| Ok(self.shared()?.token()))
    }

    /// Adds the documents of a batch. With `upsert`, they replace documents with the same ids; otherwise, an id that
    /// already exists is an error. Empties the batch.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn put<'env>(
        &self,
        env: &'env Env,
        batch: &mut DocumentBatch,
        upsert: bool,
    ) -> napi::Result<Object<'env>> {
        let (inner, batch) = (self.shared(), std::mem::take(batch));
        spawn(env, move || {
            let inner = inner?;
            let put = if upsert { Put::Upsert } else { Put::Add };
            let dim = inner.stats()?.dim;
            batch.with_documents(dim, |documents| Ok(inner.put(put, documents)?))
        })
    }

    /// Deletes the documents with these ids. Resolves to the number of deleted documents.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn delete<'env>(&self, env: &'env Env, documents: Vec<String>) -> napi::Result<Object<'env>> {
        let inner = self.shared();
        spawn(env, move || Ok(inner?.delete(&documents)? as f64))
    }

    /// Deletes the committed documents that match a filter (JSON). Resolves to the number of deleted documents.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn delete_matching<'env>(
        &self,
        env: &'env Env,
        filter: String,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (inner, control) = (self.shared(), control_or_new(control));
        spawn(env, move || {
            let inner = inner?;
            let filter = filter_of(&inner, Some(&filter))?
                .ok_or_else(|| Failure::internal("the filter is missing"))?;
            Ok(inner.delete_matching(&filter, &control)? as f64)
        })
    }

    /// Replaces the fields of a committed document. The fields are JSON.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn set_fields<'env>(
        &self,
        env: &'env Env,
        document: String,
        fields: String,
    ) -> napi::Result<Object<'env>> {
        let inner = self.shared();
        spawn(env, move || Ok(inner?.set_fields(&document, &parse_fields(&fields, &document)?)?))
    }

    /// Commits all changes. Resolves to the number of commits so far.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn commit<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let inner = self.shared();
        spawn(env, move || Ok(inner?.commit()? as f64))
    }

    /// Undoes all changes since the last commit.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn rollback<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let inner = self.shared();
        spawn(env, move || Ok(inner?.rollback()?))
    }

    /// Commits, merges all segments of the BM25 index, drops deleted passages, and completes the graph. Resolves to the
    /// number of commits so far.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn optimize<'env>(
        &self,
        env: &'env Env,
        threads: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (inner, control) = (self.shared(), control_or_new(control));
        spawn(env, move || Ok(inner?.optimize(threads as usize, &control)? as f64))
    }

    /// Switches to the last commit, which another process may have made. Resolves to true if that commit differs from
    /// the current one.
    #[napi(ts_return_type = "Promise<boolean>", catch_unwind)]
    pub fn refresh<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let inner = self.shared();
        spawn(env, move || Ok(inner?.refresh()?))
    }

    /// Closes this handle. The last handle closes the collection; with `commit`, changes are committed first.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn close<'env>(&self, env: &'env Env, commit: bool) -> napi::Result<Object<'env>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner).take();
        spawn(env, move || Ok(inner.map_or(Ok(()), |collection| collection.detach(commit))?))
    }
}
