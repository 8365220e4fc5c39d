//! Ranks passages with one or both retrievers.

use control::Control;
use dense::RowSet;
use ranking::Hit;
use sparse::FilteredSearcher;

use super::request::{Request, Retriever};
use crate::Error;
use crate::vectors::live::LiveVectors;
use crate::view::View;

/// Ranks the passages of one request. Can be called again for more hits without evaluating the filter again.
pub(crate) struct Retrieval<'a> {
    view: &'a View,
    request: &'a Request<'a>,
    filtered: FilteredSearcher<'a>,
    /// The rows of the vector index that the filter allows; `None` without a filter.
    rows: Option<RowSet>,
}

impl<'a> Retrieval<'a> {
    /// Evaluates the filter.
    pub fn new(view: &'a View, request: &'a Request<'a>, control: &Control) -> Result<Self, Error> {
        let filtered = view.searcher.filtered(request.filter, control)?;
        let needs_rows = request.filter.is_some() && request.retriever != Retriever::Bm25;
        let rows = match &view.vectors {
            Some(vectors) if needs_rows => Some(vectors.map.rows(&filtered.ords(), vectors.index.len())),
            _ => None,
        };
        Ok(Self { view, request, filtered, rows })
    }

    /// Returns the `k` best passages, best first.
    pub fn best(&self, k: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        match &self.request.retriever {
            Retriever::Bm25 => self.by_words(k, control),
            Retriever::Dense => self.by_vectors(k, control),
            Retriever::Hybrid { method, depth } => {
                let depth = k.max(*depth);
                let (dense, sparse) = (self.by_vectors(depth, control)?, self.by_words(depth, control)?);
                Ok(fusion::fuse(&[&dense, &sparse], method, k)?)
            }
        }
    }

    fn by_words(&self, k: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        Ok(self.filtered.search(self.request.text, k, self.request.bm25, control)?)
    }

    fn by_vectors(&self, k: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        let missing = |what: &str| Error::argument(format!("search: expected {what}, got none"));
        let vectors: &LiveVectors =
            self.view.vectors.as_ref().ok_or_else(|| missing("a collection with vectors"))?;
        let query = self.request.vector.ok_or_else(|| missing("the vector of the query"))?;
        let filter = self.rows.as_ref().map(|rows| rows as &dyn dense::Allow);
        let mut hits = if self.request.exact {
            vectors.index.search_exact(query, k, filter, control)?
        } else {
            vectors.index.search(query, k, self.request.ef, filter, control)?
        };
        hits.iter_mut().for_each(|hit| hit.ord = vectors.map.ord(hit.ord));
        Ok(hits)
    }
}
