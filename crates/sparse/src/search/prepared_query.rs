//! A query whose terms are looked up. Its time can be estimated before it is run, and it can be run again for more hits.

use std::sync::Arc;
use std::time::Duration;

use control::Control;
use ranking::{BitSet, Hit};

use crate::analysis::query::Query;
use crate::search::planner;
use crate::search::query_terms::WeightedTerms;
use crate::search::searcher::Searcher;
use crate::{Bm25, Error};

/// A query of one commit, made by [`FilteredSearcher::prepare`](crate::FilteredSearcher::prepare).
pub struct PreparedQuery<'a> {
    searcher: &'a Searcher,
    /// The allowed passages of each segment; `None` without a filter.
    sets: Option<Arc<[BitSet]>>,
    terms: WeightedTerms,
    parameters: Bm25,
}

impl<'a> PreparedQuery<'a> {
    pub(crate) fn new(
        searcher: &'a Searcher,
        sets: Option<Arc<[BitSet]>>,
        query: &str,
        parameters: Bm25,
    ) -> Result<Self, Error> {
        let query = Query::from_text(query, searcher.analyzer());
        let terms = searcher.index.read(|| planner::look_up(&searcher.index, &query, parameters))?;
        Ok(Self { searcher, sets, terms, parameters })
    }

    /// Estimates how long a search for `k` hits takes if its files are [in memory](Searcher::is_resident).
    #[must_use]
    pub fn estimated_time(&self, k: usize) -> Duration {
        planner::estimated_time(&self.searcher.index, &self.terms, k)
    }

    /// Returns the `k` best passages that meet the filter, best first, as [`Searcher::search`] does.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`]; [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn search(&self, k: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        control.check()?;
        let index = &self.searcher.index;
        let filter = self.sets.as_deref();
        index.read(|| planner::find_best(index, &self.terms, k, self.parameters, filter, control))
    }
}

impl std::fmt::Debug for PreparedQuery<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreparedQuery")
            .field("searcher", &self.searcher)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}
