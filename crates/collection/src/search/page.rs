//! One page of hits, with the contents that were requested.

use std::collections::HashSet;
use std::ops::Range;
use std::time::{Duration, Instant};

use control::Control;
use ranking::Hit;
use serving::LatencyEstimate;
use sparse::PassageFields;

use super::request::{Include, Request};
use super::retrieve::Retrieval;
use crate::Error;
use crate::document::document_of;
use crate::view::View;

/// A rough estimate of the time that it takes to look up the id of a hit and to convert the hit for the caller.
const TIME_PER_HIT: Duration = Duration::from_nanos(500);

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The ord of the passage.
    pub ord: u32,
    /// The id of the passage.
    pub id: String,
    /// The id of its document.
    pub document: String,
    /// The score.
    pub score: f32,
    /// Title, text and fields; `None` unless contents or highlights were requested.
    pub contents: Option<Contents>,
    /// The byte ranges of the query's words in the text; `None` unless highlights were requested.
    pub highlights: Option<Vec<Range<usize>>>,
}

/// The contents of a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    /// The title.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// The fields of the document.
    pub fields: PassageFields,
}

/// Returns the page of hits that a request asks for.
pub(crate) fn search(view: &View, request: &Request, control: &Control) -> Result<Vec<Found>, Error> {
    page(view, request, &Retrieval::new(view, request, control)?, control)
}

/// Returns the page of hits that `request` asks for. `retrieval` must have been created for the same request.
pub(crate) fn page(
    view: &View,
    request: &Request,
    retrieval: &Retrieval,
    control: &Control,
) -> Result<Vec<Found>, Error> {
    let count = hit_count(request);
    let best = if request.group_by_document {
        best_per_document(view, retrieval, count, control)?
    } else {
        let hits = retrieval.best(count, control)?;
        let ids = view.searcher.ids(&hits)?;
        hits.into_iter().zip(ids).collect()
    };
    let page: Vec<(Hit, String)> = best.into_iter().skip(request.offset).collect();
    let (length, start) = (page.len(), Instant::now());
    let found = page.into_iter().map(|(hit, id)| found(view, request, hit, id)).collect();
    if let Some(latency) = contents_latency(view, request).filter(|_| length > 0) {
        latency.record(length, start.elapsed());
    }
    found
}

/// Predicts how long [`page`] takes. Returns `None` if this cannot be predicted: no earlier call has done the same kind
/// of work, or hits are grouped by document and some document has several passages, so that it is unknown how many
/// passages must be retrieved.
pub(crate) fn predicted_time(view: &View, request: &Request, retrieval: &Retrieval) -> Option<Duration> {
    let mut length = hit_count(request);
    if request.group_by_document {
        if view.searcher.len() != view.state.documents {
            return None;
        }
        length = initial_length(length);
    }
    let hits = length.min(view.searcher.len() as usize);
    let page_length = hits.min(request.k);
    let contents = match contents_latency(view, request) {
        Some(latency) => latency.predict(page_length)?,
        None => Duration::ZERO,
    };
    let ids = TIME_PER_HIT.saturating_mul(hits as u32);
    Some(retrieval.predicted_time(length)?.saturating_add(contents).saturating_add(ids))
}

/// Returns the number of hits up to the end of the page.
fn hit_count(request: &Request) -> usize {
    request.offset.saturating_add(request.k)
}

/// Returns how many passages [`best_per_document`] retrieves in its first attempt to find `count` documents.
fn initial_length(count: usize) -> usize {
    count.saturating_mul(2).saturating_add(8)
}

/// Returns the estimate of the time that it takes to read the requested contents; `None` if no contents are requested.
fn contents_latency<'a>(view: &'a View, request: &Request) -> Option<&'a LatencyEstimate> {
    match request.include {
        Include { highlights: true, .. } => Some(&view.contents_latency.highlighted),
        Include { contents: true, .. } => Some(&view.contents_latency.plain),
        _ => None,
    }
}

/// Returns the best passage of each of the `count` best documents. Retrieves more and more passages until they are from
/// enough documents.
fn best_per_document(
    view: &View,
    retrieval: &Retrieval,
    count: usize,
    control: &Control,
) -> Result<Vec<(Hit, String)>, Error> {
    let total = view.searcher.len() as usize;
    let mut length = initial_length(count);
    loop {
        let hits = retrieval.best(length, control)?;
        let is_complete = hits.len() < length || length >= total;
        let ids = view.searcher.ids(&hits)?;
        let mut seen = HashSet::new();
        let is_first =
            |id: &str| seen.insert(document_of(id).map_or(id, |(document, _)| document).to_owned());
        let best: Vec<(Hit, String)> = {
            let mut is_first = is_first;
            let mut pairs: Vec<_> = hits.into_iter().zip(ids).collect();
            pairs.retain(|(_, id)| is_first(id));
            pairs.truncate(count);
            pairs
        };
        if best.len() == count || is_complete {
            return Ok(best);
        }
        length = length.saturating_mul(4);
    }
}

/// Adds the requested contents to a hit.
fn found(view: &View, request: &Request, hit: Hit, id: String) -> Result<Found, Error> {
    let document = document_of(&id).map_or(id.as_str(), |(document, _)| document).to_owned();
    let include = request.include;
    let stored =
        (include.contents || include.highlights).then(|| view.searcher.passage(hit.ord)).transpose()?;
    let highlights = match &stored {
        Some(passage) if include.highlights => Some(view.searcher.highlights(request.text, &passage.text)),
        _ => None,
    };
    let contents =
        stored.map(|passage| Contents { title: passage.title, text: passage.text, fields: passage.fields });
    Ok(Found { ord: hit.ord, id, document, score: hit.score, contents, highlights })
}
