//! Calls that read a collection without ranking: passages, documents, values of fields, statistics.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, ToNapiValue};
use napi_derive::napi;
use sparse::{FilteredSearcher, Searcher};

use super::handle::{NativeCollection, filter_of};
use super::passages::NativeStoredPassages;
use crate::call::{CallResult, Control, Failure, control_or_new, spawn};

/// Statistics of a collection and of the commit that its searches see.
#[napi(object)]
pub struct NativeCollectionStats {
    /// The number of commits so far.
    pub generation: f64,
    pub documents: f64,
    pub passages: f64,
    /// The number of segments of the BM25 index.
    pub segments: u32,
    /// The dimension of the vectors; absent without vectors.
    pub dim: Option<u32>,
    /// The number of vectors that are not in the graph yet.
    pub pending: u32,
    /// The number of bytes of vectors and graph in memory, not counting those that are memory-mapped from files.
    pub memory_bytes: f64,
    /// The metadata that the collection was created with, as JSON.
    pub metadata: String,
    /// Whether there are uncommitted changes.
    pub has_changes: bool,
}

/// Returns the passages to count: all of them or, with `by_document`, one per document. One is enough, because all
/// passages of a document have the same fields.
fn counted(filtered: FilteredSearcher<'_>, by_document: bool) -> FilteredSearcher<'_> {
    fn document(passage: &str) -> &str {
        collection::document_of(passage).map_or(passage, |(document, _)| document)
    }
    if by_document { filtered.distinct_by(document) } else { filtered }
}

/// Values of a field, as JSON, and for each the number of passages or documents that have it.
#[napi(object)]
pub struct NativeValueCounts {
    pub values: Vec<String>,
    pub counts: Vec<f64>,
}

#[napi]
impl NativeCollection {
    /// Returns statistics of the collection.
    #[napi(ts_return_type = "Promise<NativeCollectionStats>", catch_unwind)]
    pub fn stats<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let inner = self.shared();
        spawn(env, move || {
            let inner = inner?;
            let stats = inner.stats()?;
            Ok(NativeCollectionStats {
                generation: stats.generation as f64,
                documents: stats.documents as f64,
                passages: stats.passages as f64,
                segments: stats.segments as u32,
                dim: stats.dim.map(|dim| dim as u32),
                pending: stats.pending as u32,
                memory_bytes: stats.memory_bytes as f64,
                metadata: inner.metadata()?.to_string(),
                has_changes: inner.is_changed()?,
            })
        })
    }

    /// Returns the passages with these ids, in the order of the ids. Unknown ids are skipped.
    #[napi(ts_return_type = "Promise<NativeStoredPassages>", catch_unwind)]
    pub fn passages<'env>(&self, env: &'env Env, ids: Vec<String>) -> napi::Result<Object<'env>> {
        let inner = self.shared();
        spawn(env, move || {
            let inner = inner?;
            let searcher = inner.searcher()?;
            let mut ords = Vec::new();
            for id in &ids {
                ords.extend(searcher.ord(id)?);
            }
            NativeStoredPassages::read(&searcher, &ords)
        })
    }

    /// Returns the passages of a document, in order; empty if there is no such document.
    #[napi(ts_return_type = "Promise<NativeStoredPassages>", catch_unwind)]
    pub fn document<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let inner = self.shared();
        spawn(env, move || {
            let searcher = inner?.searcher()?;
            let ords = collection::passages_of(&id, &searcher)?;
            NativeStoredPassages::read(&searcher, &ords)
        })
    }

    /// Takes documents that will be put. For each of their passages, returns the ord of a committed passage of the same
    /// document with the same title and text, or −1 if there is no such passage.
    #[napi(ts_return_type = "Promise<Array<number>>", catch_unwind)]
    pub fn unchanged<'env>(
        &self,
        env: &'env Env,
        documents: Vec<String>,
        passage_counts: Vec<u32>,
        titles: Vec<String>,
        texts: Vec<String>,
    ) -> napi::Result<Object<'env>> {
        let inner = self.shared();
        spawn(env, move || {
            let searcher = inner?.searcher()?;
            let mut passages = titles.iter().zip(&texts);
            let mut found = Vec::with_capacity(texts.len());
            for (document, &count) in documents.iter().zip(&passage_counts) {
                let ords = collection::passages_of(document, &searcher)?;
                let committed = searcher.passages(&ords)?;
                for (title, text) in passages.by_ref().take(count as usize) {
                    let is_same = |passage: &sparse::StoredPassage| {
                        passage.text == *text && passage.title.as_deref().unwrap_or_default() == title
                    };
                    let at = committed.iter().position(is_same);
                    found.push(at.map_or(-1.0, |at| f64::from(ords[at])));
                }
            }
            Ok(found)
        })
    }

    /// Returns the stored vectors of passages, one after another. Fails if a passage does not exist or has no vector.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    pub fn vectors<'env>(&self, env: &'env Env, ids: Vec<String>) -> napi::Result<Object<'env>> {
        let inner = self.shared();
        spawn(env, move || {
            let inner = inner?;
            let searcher = inner.searcher()?;
            let mut vectors = Vec::new();
            for id in &ids {
                let vector = searcher.ord(id)?.map(|ord| inner.vector(ord)).transpose()?.flatten();
                vectors.extend(vector.ok_or_else(|| {
                    Failure::argument(format!("vectors: expected passages with vectors, got \"{id}\""))
                })?);
            }
            Ok(Float32Array::from(vectors))
        })
    }

    /// Returns the `max` most frequent values of a field among the passages that match a filter or, with `byDocument`,
    /// among their documents. The most frequent value is the first.
    #[napi(ts_return_type = "Promise<NativeValueCounts>", catch_unwind)]
    pub fn value_counts<'env>(
        &self,
        env: &'env Env,
        field: String,
        max: u32,
        by_document: bool,
        filter: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        self.with_filtered(env, filter, control, move |_, filtered| {
            let mut counts = NativeValueCounts { values: Vec::new(), counts: Vec::new() };
            for (value, count) in counted(filtered, by_document).value_counts(&field, max as usize)? {
                let json = serde_json::to_string(&value);
                counts.values.push(json.map_err(|error| Failure::internal(error.to_string()))?);
                counts.counts.push(count as f64);
            }
            Ok(counts)
        })
    }

    /// Sorts the passages that match a filter by a field. Skips the first `offset` of them, and returns the next `k`.
    #[napi(ts_return_type = "Promise<NativeStoredPassages>", catch_unwind)]
    #[allow(clippy::too_many_arguments)]
    pub fn sorted_by<'env>(
        &self,
        env: &'env Env,
        field: String,
        descending: bool,
        offset: u32,
        k: u32,
        filter: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        self.with_filtered(env, filter, control, move |searcher, filtered| {
            let ords = filtered.sorted_by(&field, descending, offset as usize, k as usize)?;
            NativeStoredPassages::read(searcher, &ords)
        })
    }

    /// Returns the number of passages that match a filter or, with `byDocument`, of their documents.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn count<'env>(
        &self,
        env: &'env Env,
        by_document: bool,
        filter: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        self.with_filtered(env, filter, control, move |_, filtered| {
            Ok(counted(filtered, by_document).len() as f64)
        })
    }

    /// Returns a cursor over the passages of the current commit that match a filter. Later commits do not change what
    /// the cursor returns.
    #[napi(ts_return_type = "Promise<PassageCursor>", catch_unwind)]
    pub fn cursor<'env>(
        &self,
        env: &'env Env,
        filter: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        self.with_filtered(env, filter, control, |searcher, filtered| {
            Ok(PassageCursor {
                searcher: Arc::clone(searcher),
                ords: filtered.ords().iter().collect(),
                next: 0,
            })
        })
    }
}

impl NativeCollection {
    /// Calls `work` on another thread with the passages of the current commit that match a filter (JSON); without a
    /// filter, with all passages.
    fn with_filtered<'env, T>(
        &self,
        env: &'env Env,
        filter: Option<String>,
        control: Option<&Control>,
        work: impl FnOnce(&Arc<Searcher>, FilteredSearcher<'_>) -> CallResult<T> + Send + 'static,
    ) -> napi::Result<Object<'env>>
    where
        T: ToNapiValue + Send + 'static,
    {
        let (inner, control) = (self.shared(), control_or_new(control));
        spawn(env, move || {
            let inner = inner?;
            let searcher = inner.searcher()?;
            let filter = filter_of(&inner, filter.as_deref())?;
            work(&searcher, searcher.filtered(filter.as_ref(), &control)?)
        })
    }
}

/// Reads passages of one commit in the order in which they were added.
#[napi]
pub struct PassageCursor {
    searcher: Arc<Searcher>,
    ords: Vec<u32>,
    next: usize,
}

#[napi]
impl PassageCursor {
    /// Returns the next passages, at most `max`; an empty list at the end.
    #[napi(ts_return_type = "Promise<NativeStoredPassages>", catch_unwind)]
    pub fn read<'env>(&mut self, env: &'env Env, max: u32) -> napi::Result<Object<'env>> {
        let end = self.ords.len().min(self.next + max as usize);
        let (searcher, ords) = (Arc::clone(&self.searcher), self.ords[self.next..end].to_vec());
        self.next = end;
        spawn(env, move || NativeStoredPassages::read(&searcher, &ords))
    }
}
