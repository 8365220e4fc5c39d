//! The public searcher of one commit.

use control::Control;
use ranking::{BitSet, Hit};
use rayon::prelude::*;

use crate::analysis::query::Query;
use crate::filter::cache::FilterCache;
use crate::index::snapshot::{Location, Snapshot};
use crate::scoring::statistics::Statistics;
use crate::search::explain::{self, Explanation};
use crate::search::planner;
use crate::search::query_terms::doc_freq;
use crate::{Analyzer, Bm25, Error};

/// The estimated cost, in postings, of a search that takes about a quarter of a millisecond. The bench `bm25` measures
/// searches: `cargo bench -p sparse --bench bm25 -- search`.
const MAX_QUICK_COST: u64 = 250_000;

/// Searches one commit of an index. Its results do not change while writers continue. It comes from
/// [`Bm25Index::searcher`](crate::Bm25Index::searcher).
///
/// Deleted passages are not found, but as in Lucene they count in the statistics (N, document frequency, mean length)
/// until their segment is merged.
pub struct Searcher {
    pub(crate) index: Snapshot,
    pub(crate) filters: FilterCache,
}

impl Searcher {
    pub(crate) fn new(index: Snapshot) -> Self {
        Self { index, filters: FilterCache::default() }
    }

    /// The number of passages, without deleted ones.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.index.payload.passages
    }

    /// Whether the index has no passage.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The analyzer with which the index was built.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        self.index.analyzer.clone()
    }

    /// The statistics of the whole index.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.index.statistics
    }

    /// The number of segments.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.index.segments.len()
    }

    /// The number of passages that have a term (its document frequency). The term must be analyzed already.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn doc_freq(&self, term: &str) -> Result<u64, Error> {
        self.index.read(|| doc_freq(&self.index, term, &mut Vec::new()))
    }

    /// The `k` best passages for a text, best first. If scores are equal, the passage that was added earlier comes
    /// first. Passages without any query term are not found.
    ///
    /// Scores equal, bit for bit, those of Lucene 10 with `BM25Similarity(k1, b)` and a query with one should-clause
    /// per distinct term, boosted by the number of its occurrences.
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

    /// The same as [`search`](Self::search) if it is estimated to take at most about a quarter of a millisecond and the
    /// index is small enough that its files were read when it was opened; otherwise `None`. For callers that must not
    /// block.
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
        if !self.index.is_verified {
            return Ok(None);
        }
        let query = Query::from_text(query, self.analyzer());
        self.index
            .read(|| planner::search_within(MAX_QUICK_COST, &self.index, &query, k, parameters, control))
    }

    /// The `k` best passages for terms that are analyzed already, each with a weight, which must be finite and at least 0.
    /// Weights of equal terms are added; terms with weight 0 are ignored.
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

    /// The hits of several queries, in the order of the queries, found by `threads` threads; 0 means one per core.
    /// Progress is reported in queries.
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

    /// The passage ids of hits, in the order of the hits.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPassage`] for an ord that this commit does not have; [`Error::Corrupt`].
    pub fn ids(&self, hits: &[Hit]) -> Result<Vec<String>, Error> {
        self.index.read(|| hits.iter().map(|hit| self.index.id_of(hit.ord).map(str::to_owned)).collect())
    }

    /// Calls `visit` with the passage id of each hit, in the order of the hits.
    ///
    /// # Errors
    ///
    /// Those of [`ids`](Self::ids).
    pub fn for_each_id(&self, hits: &[Hit], mut visit: impl FnMut(&str)) -> Result<(), Error> {
        self.index.read(|| {
            for hit in hits {
                visit(self.index.id_of(hit.ord)?);
            }
            Ok(())
        })
    }

    /// The ord of the passage with this id; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn ord(&self, id: &str) -> Result<Option<u32>, Error> {
        self.index
            .read(|| Ok(self.index.find_id(id)?.map(|Location { segment, doc }| segment.passages.ord(doc))))
    }

    /// Explains the score of the passage `id` for a text. The score is 0 if they have no term in common.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPassage`]; [`Error::Argument`]; [`Error::Corrupt`] or [`Error::Io`].
    pub fn explain(&self, query: &str, id: &str, parameters: Bm25) -> Result<Explanation, Error> {
        let query = Query::from_text(query, self.analyzer());
        self.index.read(|| explain::explain(&self.index, &query, id, parameters))
    }

    pub(crate) fn search_query(
        &self,
        query: &Query,
        k: usize,
        parameters: Bm25,
        filter: Option<&[BitSet]>,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        self.index.read(|| planner::search(&self.index, query, k, parameters, filter, control))
    }
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher")
            .field("path", &self.index.path)
            .field("payload", &self.index.payload)
            .finish()
    }
}
