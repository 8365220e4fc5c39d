//! Ranks passages by words (BM25), by vectors, or by both.

use std::time::{Duration, Instant};

use control::Control;
use dense::RowSet;
use ranking::Hit;
use sparse::{FilteredSearcher, PreparedQuery};

use super::request::{Request, Retriever};
use crate::Error;
use crate::vectors::live::LiveVectors;
use crate::view::View;

/// Ranks passages for one request. [`best`](Self::best) can be called again for more hits; the filter is evaluated only
/// once.
pub(crate) struct Retrieval<'a> {
    view: &'a View,
    request: &'a Request<'a>,
    /// The query for BM25; `None` for [`Retriever::Dense`].
    words: Option<PreparedQuery<'a>>,
    /// The rows of the vector index that the filter allows; `None` without a filter or for [`Retriever::Bm25`].
    rows: Option<RowSet>,
}

impl<'a> Retrieval<'a> {
    /// Evaluates the filter and prepares the query.
    pub fn new(view: &'a View, request: &'a Request<'a>, control: &Control) -> Result<Self, Error> {
        Self::with_filtered(view.searcher.filtered(request.filter, control)?, view, request)
    }

    /// Does the same as [`new`](Self::new) if the filter of the request has already been evaluated, with the result
    /// `filtered`.
    pub fn with_filtered(
        filtered: FilteredSearcher<'a>,
        view: &'a View,
        request: &'a Request<'a>,
    ) -> Result<Self, Error> {
        let needs_rows = request.filter.is_some() && request.retriever != Retriever::Bm25;
        let rows = match &view.vectors {
            Some(vectors) if needs_rows => Some(vectors.map.rows(&filtered.ords(), vectors.index.len())),
            _ => None,
        };
        let words = match request.retriever {
            Retriever::Dense => None,
            _ => Some(filtered.prepare(request.text, request.bm25)?),
        };
        Ok(Self { view, request, words, rows })
    }

    /// Returns the `k` best passages, best first.
    pub fn best(&self, k: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        match &self.request.retriever {
            Retriever::Bm25 => self.by_words(k, control),
            Retriever::Dense => self.by_vectors(k, control),
            Retriever::Hybrid { method, .. } => {
                let depth = self.depth(k);
                // By words first, because only this search checks the time budget of `control` and may stop early.
                let sparse = self.by_words(depth, control)?;
                let dense = self.by_vectors(depth, control)?;
                Ok(fusion::fuse(&[&dense, &sparse], method, k)?)
            }
        }
    }

    /// Predicts how long [`best`](Self::best) takes for `k` hits. Returns `None` if vectors must be searched and no
    /// earlier search of vectors has been timed.
    pub fn predicted_time(&self, k: usize) -> Option<Duration> {
        let depth = self.depth(k);
        let words = self.words.as_ref().map_or(Duration::ZERO, |words| words.estimated_time(depth));
        let vectors = match &self.view.vectors {
            Some(vectors) if self.request.retriever != Retriever::Bm25 => {
                vectors.latency.predict(self.rows_scored(vectors, depth))?
            }
            _ => Duration::ZERO,
        };
        Some(words.saturating_add(vectors))
    }

    /// Returns how many hits are taken from each list to find the `k` best passages.
    fn depth(&self, k: usize) -> usize {
        match self.request.retriever {
            Retriever::Hybrid { depth, .. } => k.max(depth),
            Retriever::Bm25 | Retriever::Dense => k,
        }
    }

    fn by_words(&self, k: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        Ok(self.words.as_ref().map_or(Ok(Vec::new()), |words| words.search(k, control))?)
    }

    fn by_vectors(&self, k: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        let missing = |what: &str| Error::argument(format!("search: expected {what}, got none"));
        let vectors: &LiveVectors =
            self.view.vectors.as_ref().ok_or_else(|| missing("a collection with vectors"))?;
        let query = self.request.vector.ok_or_else(|| missing("the vector of the query"))?;
        let filter = self.rows.as_ref().map(|rows| rows as &dyn dense::Allow);
        let start = Instant::now();
        let mut hits = if self.request.exact {
            vectors.index.search_exact(query, k, filter, control)?
        } else {
            vectors.index.search(query, k, self.request.ef, filter, control)?
        };
        vectors.latency.record(self.rows_scored(vectors, k), start.elapsed());
        hits.iter_mut().for_each(|hit| hit.ord = vectors.map.ord(hit.ord));
        Ok(hits)
    }

    /// Estimates the work of a search by vectors, expressed as the number of vectors that could be scored in the same
    /// time.
    fn rows_scored(&self, vectors: &LiveVectors, k: usize) -> usize {
        let allowed = self.rows.as_ref().map(RowSet::len);
        if self.request.exact {
            allowed.unwrap_or_else(|| vectors.index.live_len())
        } else {
            vectors.index.rows_scored(k, self.request.ef, allowed)
        }
    }
}
