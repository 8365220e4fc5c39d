//! The public searcher of one commit. It analyzes a query ([`Query`]) and passes it to the [`planner`].

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use control::Control;
use ranking::{BitSet, Hit};
use rayon::prelude::*;
use serde_json::Value;
use tokenize::Tokenizer;

use crate::analysis::query::Query;
use crate::filter::cache::FilterCache;
use crate::index::snapshot::{Location, Snapshot};
use crate::scoring::statistics::Statistics;
use crate::search::explain::{self, Explanation};
use crate::search::planner::{self, Scorer, SearchWork};
use crate::search::query_terms::look_up_term;
use crate::{Analyzer, Bm25, Error};

/// Searches one commit of an index. Later commits do not change the results.
/// [`Bm25Index::searcher`](crate::Bm25Index::searcher) returns a searcher.
///
/// Deleted passages are not found, but as in Lucene they count in the statistics (N, document frequency, mean length)
/// until their segment is merged.
pub struct Searcher {
    pub(crate) index: Snapshot,
    pub(crate) filters: FilterCache,
    number: u64,
}

/// The number of the next searcher.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

impl Searcher {
    pub(crate) fn new(index: Snapshot) -> Self {
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        Self { index, filters: FilterCache::default(), number }
    }

    /// Returns a number that no other searcher of this process has. Within one searcher, an ord always means the same
    /// passage.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of passages, without deleted ones.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.index.payload.passages
    }

    /// Returns true if the index has no passages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the analyzer with which the index was built.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        self.index.analyzer.clone()
    }

    /// Returns the statistics of the whole index.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.index.statistics
    }

    /// Returns the state that the caller [recorded](crate::IndexWriter::set_state) with this commit; null if the caller
    /// recorded none.
    #[must_use]
    pub fn state(&self) -> &Value {
        &self.index.payload.state
    }

    /// Returns the ord that the next added passage will get. All ords of this commit are below it.
    #[must_use]
    pub fn next_ord(&self) -> u32 {
        self.index.next_ord()
    }

    /// Returns the ords of the passages that are not deleted, as a set over 0..[`next_ord`](Self::next_ord).
    #[must_use]
    pub fn live_ords(&self) -> BitSet {
        self.index.ords(None)
    }

    /// Returns true if searches are expected not to wait for a disk: either all files that they read were compared with
    /// their checksums when the index was opened; or these files have at most 64 MiB in total, and each of them was
    /// compared with its checksum or has been written by this process since the index was opened.
    #[must_use]
    pub fn is_resident(&self) -> bool {
        self.index.residency.searched
    }

    /// Returns true if reading the contents of passages is also expected not to wait for a disk: all files of the index
    /// meet the conditions of [`is_resident`](Self::is_resident).
    #[must_use]
    pub fn are_contents_resident(&self) -> bool {
        self.index.residency.all
    }

    /// Returns the number of segments.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.index.segments.len()
    }

    /// Returns the number of passages that have a term (its document frequency). The term must already be analyzed.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn doc_freq(&self, term: &str) -> Result<u64, Error> {
        self.index.read(|| Ok(look_up_term(&self.index, term, &mut Vec::new())?.doc_freq))
    }

    /// Returns the number of passages that have each word piece of a tokenizer, indexed by the ids of the pieces; 0 for
    /// an id without a piece. Returns `None` unless the terms of the index are word pieces of the same vocabulary.
    ///
    /// # Errors
    ///
    /// Those of [`doc_freq`](Self::doc_freq).
    pub fn piece_doc_freqs(&self, tokenizer: &Tokenizer) -> Result<Option<Vec<u64>>, Error> {
        let analyzer = self.analyzer();
        if !analyzer.word_pieces().is_some_and(|pieces| pieces.has_vocabulary_of(tokenizer)) {
            return Ok(None);
        }
        let ids = 0..tokenizer.vocabulary_size() as u32;
        let doc_freqs = ids.map(|id| tokenizer.piece_text(id).map_or(Ok(0), |piece| self.doc_freq(&piece)));
        doc_freqs.collect::<Result<_, _>>().map(Some)
    }

    /// Returns the `k` best passages for a query text, best first. If scores are equal, the passage that was added
    /// earlier comes first. Passages without any query term are not found.
    ///
    /// Scores equal, bit for bit, those of Lucene 10 with `BM25Similarity(k1, b)` and a `BooleanQuery` with one
    /// `SHOULD` clause per distinct term, boosted by the number of times that the term occurs in the text.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for parameters out of range; [`Error::Canceled`]; [`Error::Corrupt`] or [`Error::Io`]
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

    /// Returns the `k` best passages for terms that are already analyzed, each with a weight. Weights must be finite
    /// and at least 0. The weights of equal terms are added up; terms with weight 0 are ignored.
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

    /// Searches for several queries with `threads` threads, 0 for one per core, and returns the hits of each query in
    /// the order of the queries. Progress is reported in queries.
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
            .map_err(|error| Error::io_message("search", &self.index.path, error.to_string()))?
    }

    /// Returns the passage ids of hits, in the order of the hits.
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

    /// Returns the ord of the passage with this id; `None` if there is no such passage.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn ord(&self, id: &str) -> Result<Option<u32>, Error> {
        self.index
            .read(|| Ok(self.index.find_id(id)?.map(|Location { segment, doc }| segment.passages.ord(doc))))
    }

    /// Explains the score of the passage `id` for a query text. The score is 0 if the passage has no term of the query.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPassage`]; [`Error::Argument`]; [`Error::Corrupt`] or [`Error::Io`].
    pub fn explain(&self, query: &str, id: &str, parameters: Bm25) -> Result<Explanation, Error> {
        let query = Query::from_text(query, self.analyzer());
        self.index.read(|| explain::explain(&self.index, &query, id, parameters))
    }

    /// Returns the byte ranges of the words in `text` that match `query`: the words that become a term of the query.
    /// The ranges are in order and do not overlap. A range covers the whole word as it is written, such as `Bridge's`
    /// for the term `bridg`; if the terms are word pieces, it covers a piece.
    #[must_use]
    pub fn highlights(&self, query: &str, text: &str) -> Vec<Range<usize>> {
        Query::from_text(query, self.analyzer()).ranges_in(text, &self.index.analyzer)
    }

    /// [Searches](Self::search) with this scorer, even if the other one is faster. For the calibration of the planner.
    ///
    /// # Errors
    ///
    /// Those of [`search`](Self::search).
    #[doc(hidden)]
    pub fn search_with_scorer(
        &self,
        scorer: Scorer,
        query: &str,
        k: usize,
        parameters: Bm25,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        let query = Query::from_text(query, self.analyzer());
        self.index.read(|| {
            let terms = planner::look_up(&self.index, &query, parameters)?;
            planner::find_best_with(scorer, &self.index, &terms, k, parameters, None, control)
        })
    }

    /// Returns the estimated work of a search. For the calibration of the planner.
    ///
    /// # Errors
    ///
    /// Those of [`search`](Self::search).
    #[doc(hidden)]
    pub fn work(&self, query: &str, k: usize, parameters: Bm25) -> Result<SearchWork, Error> {
        let query = Query::from_text(query, self.analyzer());
        self.index
            .read(|| Ok(planner::work(&self.index, &planner::look_up(&self.index, &query, parameters)?, k)))
    }

    /// Returns the number of passages that a search with upper bounds scores exactly. For the calibration of the
    /// planner.
    ///
    /// # Errors
    ///
    /// Those of [`search`](Self::search).
    #[doc(hidden)]
    pub fn count_candidates(&self, query: &str, k: usize, parameters: Bm25) -> Result<u64, Error> {
        let query = Query::from_text(query, self.analyzer());
        self.index.read(|| {
            let terms = planner::look_up(&self.index, &query, parameters)?;
            planner::count_candidates(&self.index, &terms, k, parameters)
        })
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
