//! Searches for callers that must not block, such as the thread of an event loop. A search runs only if it is estimated
//! to be quick; otherwise, the caller runs it on another thread.
//!
//! The estimate is the sum of four times:
//!
//! - for BM25, a time that depends on the number of postings
//!   ([`PreparedQuery::estimated_time`](sparse::PreparedQuery::estimated_time));
//! - for vectors, and for the contents of hits, the time per row or per hit that earlier searches took
//!   ([`LatencyEstimate`](serving::LatencyEstimate));
//! - for ids, a constant time per hit;
//! - for a filter of vectors, a constant time per passage of the collection.
//!
//! A filter that was not used since the last commit must be evaluated, so a search with it is never quick.

use std::time::Duration;

use control::Control;
use serving::MAX_QUICK_TIME;
use sparse::{Filter, MAX_QUICK_TEXT_BYTES};

use super::page::{Found, page, predicted_time};
use super::request::{Request, Retriever};
use super::retrieve::Retrieval;
use crate::view::View;
use crate::{Collection, Error};

/// A filter of more bytes of JSON is not parsed by a caller that must not block.
const MAX_QUICK_FILTER_BYTES: usize = 1024;

/// A rough estimate of the time in which 64 ords that a filter allows are mapped to rows of the vector index.
const FILTER_TIME_PER_64_PASSAGES: Duration = Duration::from_nanos(8);

impl Collection {
    /// Does the same as [`search`](Self::search) if it will probably take at most a quarter of a millisecond, and
    /// returns `None` otherwise, or if the search by words turns out to take a quarter of a millisecond longer. It also
    /// returns `None` if a change has locked the collection, if the filter was not used since the last commit, if the
    /// text has more than [`MAX_QUICK_TEXT_BYTES`], or if the search may have to read from a disk. It is for callers
    /// that must not block.
    ///
    /// # Errors
    ///
    /// Those of [`search`](Self::search).
    pub fn search_if_quick(&self, request: &Request) -> Result<Option<Vec<Found>>, Error> {
        self.check_open()?;
        let searched = self.view.try_read(|view| search_if_quick(view, request))?;
        searched.unwrap_or(Ok(None))
    }

    /// Does the same as [`parse_filter`](Self::parse_filter) for a short filter that does not have to be looked up in the
    /// collection, that is, without `documents`. Returns `None` for other filters, and for invalid ones.
    #[must_use]
    pub fn parse_filter_if_quick(json: &str) -> Option<Filter> {
        if json.len() > MAX_QUICK_FILTER_BYTES || json.contains("\"documents\"") {
            return None;
        }
        serde_json::from_str(json).ok()
    }
}

fn search_if_quick(view: &View, request: &Request) -> Result<Option<Vec<Found>>, Error> {
    // The text is analyzed for a search by words and for highlights.
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
        time = FILTER_TIME_PER_64_PASSAGES.saturating_mul(view.searcher.next_ord().div_ceil(64));
    }
    if time > MAX_QUICK_TIME {
        return Ok(None);
    }
    let Some(filtered) = view.searcher.filtered_if_cached(request.filter) else { return Ok(None) };
    let retrieval = Retrieval::with_filtered(filtered, view, request)?;
    match predicted_time(view, request, &retrieval) {
        Some(predicted) if time.saturating_add(predicted) <= MAX_QUICK_TIME => {
            match page(view, request, &retrieval, &Control::with_budget(MAX_QUICK_TIME)) {
                Err(Error::Sparse(sparse::Error::Cancelled(_))) => Ok(None),
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
