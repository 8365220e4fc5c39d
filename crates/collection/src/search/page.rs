//! One page of hits, with the contents that were requested.

use std::collections::HashSet;
use std::ops::Range;

use control::Control;
use ranking::Hit;
use sparse::PassageFields;

use super::request::Request;
use super::retrieve::Retrieval;
use crate::Error;
use crate::document::document_of;
use crate::view::View;

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
    /// Title, text and fields, if they or highlights were requested.
    pub contents: Option<Contents>,
    /// The byte ranges of the query's words in the text, if they were requested.
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
    let retrieval = Retrieval::new(view, request, control)?;
    let end = request.offset.saturating_add(request.k);
    let best = if request.group_by_document {
        best_of_documents(view, &retrieval, end, control)?
    } else {
        let hits = retrieval.best(end, control)?;
        let ids = view.searcher.ids(&hits)?;
        hits.into_iter().zip(ids).collect()
    };
    let page = best.into_iter().skip(request.offset);
    page.map(|(hit, id)| found(view, request, hit, id)).collect()
}

/// Returns the best passage of each of the `count` best documents.
fn best_of_documents(
    view: &View,
    retrieval: &Retrieval,
    count: usize,
    control: &Control,
) -> Result<Vec<(Hit, String)>, Error> {
    let total = view.searcher.len() as usize;
    let mut length = count.saturating_mul(2).saturating_add(8);
    loop {
        let hits = retrieval.best(length, control)?;
        let is_complete = hits.len() < length || length >= total;
        let ids = view.searcher.ids(&hits)?;
        let mut seen = HashSet::new();
        let is_first =
            |id: &str| seen.insert(document_of(id).map_or(id, |(document, _)| document).to_owned());
        let firsts: Vec<(Hit, String)> = {
            let mut is_first = is_first;
            let mut pairs: Vec<_> = hits.into_iter().zip(ids).collect();
            pairs.retain(|(_, id)| is_first(id));
            pairs.truncate(count);
            pairs
        };
        if firsts.len() == count || is_complete {
            return Ok(firsts);
        }
        length = length.saturating_mul(4);
    }
}

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
