//! A query whose terms have been looked up. The time of a search with it can be estimated before the search runs, so
//! that a slow search need not run. The query can be used again to search for more hits.

use std::sync::Arc;
use std::time::Duration;

use control::Control;
use ranking::{BitSet, Hit};

use crate::analysis::query::Query;
use crate::search::planner;
use crate::search::query_terms::WeightedTerms;
use crate::search::searcher::Searcher;
use crate::{Bm25, Error};

/// Maximum length, in bytes, of a query text that is analyzed for a caller that must not block. Analyzing one megabyte
/// takes about 50 ms.
pub const MAX_QUICK_TEXT_BYTES: usize = 4096;

/// A query for one commit, made by [`FilteredSearcher::prepare`](crate::FilteredSearcher::prepare).
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

    /// Estimates how long a search for `k` hits takes if the files that it reads are
    /// [in memory](Searcher::is_resident).
    #[must_use]
    pub fn estimated_time(&self, k: usize) -> Duration {
        planner::estimated_time(&self.searcher.index, &self.terms, k)
    }

    /// Returns the `k` best passages that match the filter, best first, as [`Searcher::search`] does.
    ///
    /// # Errors
    ///
    /// [`Error::Canceled`]; [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn search(&self, k: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        control.check()?;
        let index = &self.searcher.index;
        let filter = self.sets.as_deref();
        index.read(|| planner::find_best(index, &self.terms, k, self.parameters, filter, control))
    }
}

impl Searcher {
    /// Does the same as [`search`](Self::search) if the search is estimated to take at most `max_time`, and returns
    /// `None` otherwise. A search that turns out to need more work than estimated is stopped after about twice
    /// `max_time`, and the result is also `None`. The same holds if reads may wait for a disk (see
    /// [`is_resident`](Self::is_resident)), or if the query has more than [`MAX_QUICK_TEXT_BYTES`] bytes. This method
    /// is for callers that must not block.
    ///
    /// # Errors
    ///
    /// Those of [`search`](Self::search).
    pub fn search_if_quick(
        &self,
        query: &str,
        k: usize,
        parameters: Bm25,
        max_time: Duration,
    ) -> Result<Option<Vec<Hit>>, Error> {
        if !self.is_resident() || query.len() > MAX_QUICK_TEXT_BYTES {
            return Ok(None);
        }
        let query = PreparedQuery::new(self, None, query, parameters)?;
        if query.estimated_time(k) > max_time {
            return Ok(None);
        }
        match query.search(k, &Control::with_budget(max_time)) {
            Err(Error::Canceled(_)) => Ok(None),
            found => found.map(Some),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analyzer, IndexWriter, WriterOptions};

    #[test]
    fn a_search_runs_only_if_it_is_estimated_to_be_quick_and_its_text_is_short() -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = IndexWriter::create(folder.path(), Analyzer::SIMPLE, WriterOptions::default())?;
        writer.add("a", None, "stone bridge")?;
        writer.commit()?;
        let searcher = writer.searcher()?;
        let search = |text: &str, max_time| searcher.search_if_quick(text, 10, Bm25::default(), max_time);
        let found = searcher.search("bridge", 10, Bm25::default(), &Control::new())?;
        assert_eq!((found.len(), search("bridge", Duration::from_millis(1))?), (1, Some(found)));
        assert_eq!(search("bridge", Duration::ZERO)?, None);
        let text = "bridge ".repeat(MAX_QUICK_TEXT_BYTES);
        assert!(search(&text[..MAX_QUICK_TEXT_BYTES], Duration::from_millis(1))?.is_some());
        assert_eq!(search(&text[..=MAX_QUICK_TEXT_BYTES], Duration::from_millis(1))?, None);
        Ok(())
    }

    #[test]
    fn a_search_stops_if_many_more_passages_than_k_may_be_among_the_best() -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = IndexWriter::create(folder.path(), Analyzer::SIMPLE, WriterOptions::default())?;
        for passage in 0..20_000 {
            let word = if passage % 1_000 == 0 { "river" } else { "stone" };
            writer.add(&passage.to_string(), None, &format!("{word} bridge"))?;
        }
        writer.commit()?;
        let searcher = writer.searcher()?;
        let max_time = Duration::from_micros(250);
        let search = |text: &str| searcher.search_if_quick(text, 10, Bm25::default(), max_time);
        // All passages with the word have the same score, so thousands of them are candidates.
        for text in ["bridge", "stone"] {
            let estimate = PreparedQuery::new(&searcher, None, text, Bm25::default())?.estimated_time(10);
            assert!(estimate < max_time, "{text}: it is stopped while it runs, not before");
            assert_eq!(search(text)?, None, "{text}");
        }
        for text in ["river", "river bridge"] {
            let found = searcher.search(text, 10, Bm25::default(), &Control::new())?;
            assert_eq!((found.len(), search(text)?), (10, Some(found)), "{text}");
        }
        // Searches without a budget use the same buffers afterwards.
        let found = searcher.search("stone", 10, Bm25::default(), &Control::new())?;
        assert_eq!(found.iter().map(|hit| hit.ord).collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
        Ok(())
    }
}
