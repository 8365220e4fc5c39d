//! Searches of a collection.

use collection::{Collection, Found, Include, Request, Retriever};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint32Array};
use napi_derive::napi;
use sparse::{Bm25, Filter};
use text::Utf16Offsets;

use super::handle::{NativeCollection, filter_of};
use super::passages::fields_json;
use crate::call::{CallResult, Control, Failure, call_sync, control_or_new, spawn};
use crate::fusion::{FusionMethod, parse_method};

/// What to search for, and what to return. `retriever` is bm25, dense or hybrid; `filter` is JSON.
#[napi(object)]
pub struct NativeSearchRequest {
    pub text: String,
    pub retriever: String,
    pub k: u32,
    pub offset: u32,
    pub filter: Option<String>,
    pub group_by_document: bool,
    pub k1: f64,
    pub b: f64,
    /// The number of candidates that the beam search expands in the HNSW graph.
    pub ef: u32,
    /// Whether a search compares the query with every vector that the filter allows, instead of using the graph.
    pub exact: bool,
    /// How the two lists of a hybrid search are fused. The first list is that of the vector search.
    pub fusion: Option<FusionMethod>,
    /// The minimum number of hits taken from each list of a hybrid search. If the requested page ends at a higher rank,
    /// more hits are taken.
    pub depth: u32,
    /// Whether title, text and fields are returned.
    pub contents: bool,
    /// Whether the ranges of the query's words in the text are returned.
    pub highlights: bool,
}

/// Hits as one list per property, best first. The lists of titles, texts and fields are empty unless contents or
/// highlights were requested.
#[napi(object)]
pub struct NativeFound {
    pub ids: Vec<String>,
    pub scores: Float32Array,
    /// An empty title means no title.
    pub titles: Vec<String>,
    pub texts: Vec<String>,
    /// JSON for each hit.
    pub fields: Vec<String>,
    /// For each hit, the start and the end of each range of the query's words in the text, in UTF-16 code units. Empty
    /// unless highlights were requested.
    pub highlights: Vec<Uint32Array>,
}

#[napi]
impl NativeCollection {
    /// Searches. `vector` is the vector of the query, which the retrievers dense and hybrid need.
    #[napi(ts_return_type = "Promise<NativeFound>", catch_unwind)]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        request: NativeSearchRequest,
        vector: Option<&[f32]>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (inner, control) = (self.shared(), control_or_new(control));
        let vector = vector.map(<[f32]>::to_vec);
        spawn(env, move || {
            let inner = inner?;
            let filter = filter_of(&inner, request.filter.as_deref())?;
            let parsed = parse(&request, vector.as_deref(), filter.as_ref())?;
            convert(inner.search(&parsed, &control)?)
        })
    }

    /// Searches on the JavaScript thread. Returns null if the search would probably take longer than a quarter of a
    /// millisecond, if BM25 scoring turns out to take over a quarter of a millisecond more than estimated, or if the
    /// search may have to wait for a change, for the evaluation of a filter, or for a disk.
    #[napi(catch_unwind)]
    pub fn search_if_quick(
        &self,
        request: NativeSearchRequest,
        vector: Option<&[f32]>,
    ) -> napi::Result<Option<NativeFound>> {
        call_sync(|| {
            let inner = self.shared()?;
            let filter = request.filter.as_deref().map(Collection::parse_filter_if_quick);
            if let Some(None) = filter {
                return Ok(None);
            }
            let filter = filter.flatten();
            let hits = inner.search_if_quick(&parse(&request, vector, filter.as_ref())?)?;
            hits.map(convert).transpose()
        })
    }
}

fn parse<'a>(
    request: &'a NativeSearchRequest,
    vector: Option<&'a [f32]>,
    filter: Option<&'a Filter>,
) -> CallResult<Request<'a>> {
    Ok(Request {
        text: &request.text,
        vector,
        retriever: parse_retriever(request)?,
        k: request.k as usize,
        offset: request.offset as usize,
        filter,
        group_by_document: request.group_by_document,
        bm25: Bm25 { k1: request.k1 as f32, b: request.b as f32 },
        ef: request.ef as usize,
        exact: request.exact,
        include: Include { contents: request.contents, highlights: request.highlights },
    })
}

fn parse_retriever(request: &NativeSearchRequest) -> CallResult<Retriever> {
    match (request.retriever.as_str(), &request.fusion) {
        ("bm25", _) => Ok(Retriever::Bm25),
        ("dense", _) => Ok(Retriever::Dense),
        ("hybrid", Some(fusion)) => {
            Ok(Retriever::Hybrid { method: parse_method(fusion, 2)?, depth: request.depth as usize })
        }
        (other, _) => {
            let message = format!("retriever: expected bm25, dense or hybrid with a fusion, got \"{other}\"");
            Err(Failure::argument(message))
        }
    }
}

fn convert(hits: Vec<Found>) -> CallResult<NativeFound> {
    let scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
    let mut found = NativeFound {
        ids: Vec::with_capacity(hits.len()),
        scores: scores.into(),
        titles: Vec::new(),
        texts: Vec::new(),
        fields: Vec::new(),
        highlights: Vec::new(),
    };
    for hit in hits {
        if let Some(ranges) = &hit.highlights {
            let text = hit.contents.as_ref().map_or("", |contents| &contents.text);
            let offsets = Utf16Offsets::new(text);
            let mut bounds = Vec::with_capacity(2 * ranges.len());
            for range in ranges {
                bounds.push(offsets.of(range.start)? as u32);
                bounds.push(offsets.of(range.end)? as u32);
            }
            found.highlights.push(bounds.into());
        }
        if let Some(contents) = hit.contents {
            found.titles.push(contents.title.unwrap_or_default());
            found.texts.push(contents.text);
            found.fields.push(fields_json(&contents.fields)?);
        }
        found.ids.push(hit.id);
    }
    Ok(found)
}
