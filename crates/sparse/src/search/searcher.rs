//! Searching one commit of an index.

use control::Control;
use ranking::{BitSet, Hit};
use rayon::prelude::*;

use crate::analysis::query::Query;
use crate::filter::cache::FilterCache;
use crate::index::integrity::guarded;
use crate::index::snapshot::Snapshot;
use crate::scoring::statistics::Statistics;
use crate::search::explain::{self, Explanation};
use crate::search::planner;
use crate::search::query_terms::passages_with;
use crate::{Analyzer, Bm25, Error};

/// Postings' work of a quick search.
const QUICK: u64 = 250_000;

/// One commit of an index: what it finds does not change while writers go on. To be had from
/// [`Bm25Index::searcher`](crate::Bm25Index::searcher).
///
/// Deleted passages are no hits, but count in the statistics (N, document frequency, mean length) until their
/// segment is merged, as in Lucene.
pub struct Searcher {
    pub(crate) index: Snapshot,
    pub(crate) filters: FilterCache,
}

impl Searcher {
    pub(crate) fn new(index: Snapshot) -> Self {
        Self { index, filters: FilterCache::default() }
    }

    /// Passages that can be found.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.index.settings.passages
    }

    /// Whether there is no passage.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The analyzer that the index was made with.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        self.index.analyzer.clone()
    }

    /// What BM25 knows of the whole index.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.index.statistics
    }

    /// Snapshot that the index consists of.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.index.segments.len()
    }

    /// Passages that have this term, which is analysed already.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn passages_with(&self, term: &str) -> Result<u64, Error> {
        guarded(&self.index.path, || passages_with(&self.index, term, &mut Vec::new()))
    }

    /// The `k` best passages for a text, best first, of equal scores the one added earlier first. Passages
    /// without any term of the query are no hits.
    ///
    /// Scores are bit-equal to those of Lucene 10 with `BM25Similarity(k1, b)` and one should-clause for each
    /// distinct term, boosted by its count.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for parameters out of range; [`Error::Cancelled`]; [`Error::Corrupt`] or [`Error::Io`]
    /// if the index cannot be read.
    pub fn search(
        &self,
        query: &str,
        k: usize,
        parameters: Bm25,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        self.search_query(&Query::from_text(query, self.analyzer()), k, parameters, None, control)
    }

    /// [`search`](Self::search), if that takes no longer than a quarter of a millisecond or so and the index's files
    /// are few enough to have been read when it was opened. For callers that must not wait.
    ///
    /// # Errors
    ///
    /// Those of [`search`](Self::search).
    pub fn search_if_quick(
        &self,
        query: &str,
        k: usize,
        parameters: Bm25,
        control: &Control,
    ) -> Result<Option<Vec<Hit>>, Error> {
        if !self.index.was_read {
            return Ok(None);
        }
        let query = Query::from_text(query, self.analyzer());
        guarded(&self.index.path, || {
            planner::search_within(QUICK, &self.index, &query, k, parameters, control)
        })
    }

    /// The `k` best passages for terms that are analysed already, each with its weight: finite, at least 0.
    /// Weights of equal terms add up; terms of weight 0 do not count.
    ///
    /// # Errors
    ///
    /// Those of [`search`](Self::search), and [`Error::Argument`] for a weight out of range.
    pub fn search_terms(
        &self,
        terms: &[(String, f32)],
        k: usize,
        parameters: Bm25,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        self.search_query(&Query::from_terms(terms)?, k, parameters, None, control)
    }

    /// The hits of many queries, in their order, found on `threads` threads; 0 is one for each core. Progress
    /// counts queries.
    ///
    /// # Errors
    ///
    /// Those of [`search`](Self::search); [`Error::Io`] if the threads cannot be started.
    pub fn search_many(
        &self,
        queries: &[&str],
        k: usize,
        parameters: Bm25,
        threads: usize,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        self.search_texts(queries, k, parameters, threads, None, control)
    }

    pub(crate) fn search_texts(
        &self,
        queries: &[&str],
        k: usize,
        parameters: Bm25,
        threads: usize,
        filter: Option<&[BitSet]>,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        parameters.check()?;
        control.set_total(queries.len() as u64);
        let search = |query: &&str| {
            let query = Query::from_text(query, self.analyzer());
            let hits = self.search_query(&query, k, parameters, filter, control)?;
            control.advance(1);
            Ok(hits)
        };
        if threads == 1 || queries.len() < 2 {
            return queries.iter().map(search).collect();
        }
        threads::install(threads, || queries.par_iter().map(search).collect())
            .map_err(|error| Error::refused("search", &self.index.path, error.to_string()))?
    }

    /// The passage ids of hits, in their order.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPassage`] for an ord that this commit does not have; [`Error::Corrupt`].
    pub fn ids(&self, hits: &[Hit]) -> Result<Vec<String>, Error> {
        guarded(&self.index.path, || {
            hits.iter().map(|hit| self.index.id_of(hit.ord).map(str::to_owned)).collect()
        })
    }

    /// Calls `visit` with the passage ids of hits, in their order.
    ///
    /// # Errors
    ///
    /// Those of [`ids`](Self::ids).
    pub fn for_each_id(&self, hits: &[Hit], mut visit: impl FnMut(&str)) -> Result<(), Error> {
        guarded(&self.index.path, || {
            for hit in hits {
                visit(self.index.id_of(hit.ord)?);
            }
            Ok(())
        })
    }

    /// The ord of the passage with this id, if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn ord(&self, id: &str) -> Result<Option<u32>, Error> {
        guarded(&self.index.path, || {
            Ok(self.index.find_id(id)?.map(|(segment, doc)| segment.passages.ord(doc)))
        })
    }

    /// Why the passage `id` has its score for a text; a score of 0 where they share no term.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPassage`]; [`Error::Argument`]; [`Error::Corrupt`] or [`Error::Io`].
    pub fn explain(&self, query: &str, id: &str, parameters: Bm25) -> Result<Explanation, Error> {
        let query = Query::from_text(query, self.analyzer());
        guarded(&self.index.path, || explain::explain(&self.index, &query, id, parameters))
    }

    pub(crate) fn search_query(
        &self,
        query: &Query,
        k: usize,
        parameters: Bm25,
        filter: Option<&[BitSet]>,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        guarded(&self.index.path, || planner::search(&self.index, query, k, parameters, filter, control))
    }
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher")
            .field("path", &self.index.path)
            .field("settings", &self.index.settings)
            .finish()
    }
}
