//! Searches for callers that must not block, such as the thread of an event loop. A search runs only if it is estimated
//! to be quick; otherwise, the caller runs it on another thread.
//!
//! The estimate is the sum of four times:
//!
//! - for BM25, a time that depends on the number of postings
//!   ([`PreparedQuery::estimated_time`](sparse::PreparedQuery::estimated_time));
//! - for vectors, and for the contents of hits, the time per row or per hit that earlier searches took
//!   ([`LatencyEstimate`](serving::LatencyEstimate));
//! - for the ids of hits, a constant time per hit;
//! - for a search of vectors with a filter, a constant time per ord, deleted passages included.
//!
//! A filter that has not been used since the last commit must first be evaluated, so a search with it never counts as
//! quick.

use std::time::Duration;

use control::Control;
use serving::MAX_QUICK_TIME;
use sparse::{Filter, MAX_QUICK_TEXT_BYTES};

use super::page::{Found, page, predicted_time};
use super::request::{Request, Retriever};
use super::retrieve::Retrieval;
use crate::view::View;
use crate::{Collection, Error};

/// The maximum length of a filter's JSON for [`Collection::parse_filter_if_quick`].
const MAX_QUICK_FILTER_BYTES: usize = 1024;

/// A rough estimate of the time that it takes to map 64 bits of a filter's set of ords to rows of the vector index.
const FILTER_TIME_PER_64_ORDS: Duration = Duration::from_nanos(8);

impl Collection {
    /// For callers that must not block: does the same as [`search`](Self::search) if the search will probably take at
    /// most a quarter of a millisecond, and returns `None` otherwise. Also returns `None` in these cases:
    ///
    /// - a change has locked the collection;
    /// - the filter has not been used since the last commit;
    /// - the text has more than [`MAX_QUICK_TEXT_BYTES`] bytes;
    /// - the search may have to read from a disk;
    /// - BM25 scoring turns out to take over a quarter of a millisecond more than estimated, and stops.
    ///
    /// # Errors
    ///
    /// The errors of [`search`](Self::search).
    pub fn search_if_quick(&self, request: &Request) -> Result<Option<Vec<Found>>, Error> {
        self.check_open()?;
        let searched = self.view.try_read(|view| search_if_quick(view, request))?;
        searched.unwrap_or(Ok(None))
    }

    /// Does the same as [`parse_filter`](Self::parse_filter) for a short filter without `documents`, for which nothing
    /// has to be looked up in the collection. Returns `None` for all other filters, and for invalid ones.
    #[must_use]
    pub fn parse_filter_if_quick(json: &str) -> Option<Filter> {
        if json.len() > MAX_QUICK_FILTER_BYTES || json.contains("\"documents\"") {
            return None;
        }
        serde_json::from_str(json).ok()
    }
}

fn search_if_quick(view: &View, request: &Request) -> Result<Option<Vec<Found>>, Error> {
    // Analyzing the text, for BM25 and for highlights, takes time in proportion to its length.
    if request.text.len() > MAX_QUICK_TEXT_BYTES {
        return Ok(None);
    }
    let vectors = view.vectors.as_ref().filter(|_| request.retriever != Retriever::Bm25);
    let reads_contents = request.include.contents || request.include.highlights;
    if !view.searcher.is_resident() || (reads_contents && !view.searcher.are_contents_resident()) {
        return Ok(None);
    }
    if vectors.is_some_and(|vectors| !vectors.is_resident()) {
        return Ok(None);
    }
    let mut time = Duration::ZERO;
    if vectors.is_some() && request.filter.is_some() {
        time = FILTER_TIME_PER_64_ORDS.saturating_mul(view.searcher.next_ord().div_ceil(64));
    }
    if time > MAX_QUICK_TIME {
        return Ok(None);
    }
    let Some(filtered) = view.searcher.filtered_if_cached(request.filter) else { return Ok(None) };
    let retrieval = Retrieval::with_filtered(filtered, view, request)?;
    match predicted_time(view, request, &retrieval) {
        Some(predicted) if time.saturating_add(predicted) <= MAX_QUICK_TIME => {
            match page(view, request, &retrieval, &Control::with_budget(MAX_QUICK_TIME)) {
                Err(Error::Sparse(sparse::Error::Canceled(_))) => Ok(None),
                found => found.map(Some),
            }
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use sparse::{Analyzer, Bm25};

    use super::*;
    use crate::{CreateOptions, Include, OpenOptions};

    #[test]
    fn a_quick_search_does_not_wait_for_a_change() -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let create =
            CreateOptions { analyzer: Analyzer::SIMPLE, vectors: None, metadata: serde_json::Value::Null };
        let collection = Collection::create(folder.path(), &create, OpenOptions::default())?;
        let request = Request {
            text: "bridge",
            vector: None,
            retriever: Retriever::Bm25,
            k: 10,
            offset: 0,
            filter: None,
            group_by_document: false,
            bm25: Bm25::default(),
            ef: 1,
            exact: false,
            include: Include::default(),
        };
        assert_eq!(collection.search_if_quick(&request)?, Some(Vec::new()));
        let during_change = collection.view.write(|_| {
            let search = || collection.search_if_quick(&request);
            std::thread::scope(|scope| scope.spawn(search).join().expect("no panic"))
        })?;
        assert_eq!(during_change?, None);
        Ok(())
    }
}
