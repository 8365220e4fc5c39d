//! The public searcher for the passages that match a filter. The filter is evaluated once, into a bit set per segment
//! (see [`crate::filter`]); the scorers then report only passages in these sets.

use std::collections::HashSet;
use std::sync::Arc;

use control::Control;
use ranking::{BitSet, Hit};
use tantivy::DocId;

use crate::analysis::query::Query;
use crate::filter::evaluate;
use crate::filter::expression::Filter;
use crate::filter::fields::{PassageFields, read_fields};
use crate::filter::known_fields::check_known;
use crate::index::snapshot::{Location, Snapshot};
use crate::search::prepared_query::PreparedQuery;
use crate::search::searcher::Searcher;
use crate::{Bm25, Error};

/// Searches only the passages that match a filter. It uses the statistics of the whole index, so a passage has the same
/// score as without a filter.
#[derive(Debug)]
pub struct FilteredSearcher<'a> {
    searcher: &'a Searcher,
    /// The allowed passages of each segment; `None` without a filter.
    sets: Option<Arc<[BitSet]>>,
}

impl Searcher {
    /// Returns a searcher for the passages that match a filter, or for all passages if `filter` is `None`. The bit sets
    /// of the most recently used filters are cached.
    ///
    /// # Errors
    ///
    /// Those of [`Filter::check`]; [`Error::Part`] for a condition on a field that no passage has, or for a value of a
    /// type that the field never has (see [`Filter`]); [`Error::Canceled`]; [`Error::Corrupt`] or [`Error::Io`] if
    /// the index cannot be read.
    pub fn filtered(
        &self,
        filter: Option<&Filter>,
        control: &Control,
    ) -> Result<FilteredSearcher<'_>, Error> {
        let sets = filter.map(|filter| self.sets(filter, control)).transpose()?;
        Ok(FilteredSearcher { searcher: self, sets })
    }

    /// Does the same as [`filtered`](Self::filtered) if there is no filter or its bit sets are cached, and returns
    /// `None` if the filter would have to be evaluated. It is for callers that must not block.
    #[must_use]
    pub fn filtered_if_cached(&self, filter: Option<&Filter>) -> Option<FilteredSearcher<'_>> {
        let sets = match filter {
            Some(filter) => Some(self.filters.get(filter)?),
            None => None,
        };
        Some(FilteredSearcher { searcher: self, sets })
    }

    /// Returns the fields of the passage with this id; empty if the passage has none.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPassage`]; [`Error::Corrupt`] or [`Error::Io`].
    pub fn fields(&self, id: &str) -> Result<PassageFields, Error> {
        self.index.read(|| match self.index.find_id(id)? {
            Some(Location { segment, doc }) => read_fields(&self.index, segment, doc),
            None => Err(Error::UnknownPassage { operation: "fields", got: format!("id \"{id}\"") }),
        })
    }

    /// Returns the set of matching passages of each segment, from the cache if it has them.
    fn sets(&self, filter: &Filter, control: &Control) -> Result<Arc<[BitSet]>, Error> {
        if let Some(sets) = self.filters.get(filter) {
            return Ok(sets);
        }
        filter.check()?;
        let evaluate = || {
            // In an empty index, every field would be unknown.
            if !self.is_empty() {
                check_known(filter, &self.index)?;
            }
            evaluate::evaluate(filter, &self.index, control)
        };
        let sets = self.index.read(evaluate)?.into();
        self.filters.put(filter, &sets);
        Ok(sets)
    }
}

impl<'a> FilteredSearcher<'a> {
    /// Looks up the terms of a query. A search with the result finds the same hits as [`search`](Self::search).
    ///
    /// # Errors
    ///
    /// Those of [`search`](Self::search), except for [`Error::Canceled`].
    pub fn prepare(&self, query: &str, parameters: Bm25) -> Result<PreparedQuery<'a>, Error> {
        PreparedQuery::new(self.searcher, self.sets.clone(), query, parameters)
    }
}

impl FilteredSearcher<'_> {
    /// Returns the number of passages that match the filter.
    #[must_use]
    pub fn len(&self) -> u64 {
        let Some(sets) = &self.sets else { return self.searcher.len() };
        let counts = self.searcher.index.segments.iter().zip(sets.iter()).map(|(segment, set)| {
            // The sets include deleted passages.
            let allowed = segment.allowed(Some(set.words()));
            allowed
                .iter()
                .flat_map(|words| words.iter())
                .map(|word| u64::from(word.count_ones()))
                .sum::<u64>()
        });
        counts.sum()
    }

    /// Returns the ords of the passages that match the filter, as a set over 0..[`next_ord`](Searcher::next_ord).
    #[must_use]
    pub fn ords(&self) -> BitSet {
        self.searcher.index.ords(self.sets.as_deref())
    }

    /// Returns a searcher for one passage of each group, the first one in the index. Two passages are in the same group
    /// if `group` returns the same part of both ids. Reads the ids of all passages that match the filter.
    #[must_use]
    pub fn distinct_by(&self, group: impl Fn(&str) -> &str) -> Self {
        let mut seen = HashSet::new();
        let sets = self.searcher.index.segments.iter().enumerate().map(|(segment_index, segment)| {
            let mut set = BitSet::empty(segment.reader.max_doc() as usize);
            for doc in self.docs(segment_index) {
                if segment.passages.id(doc).is_some_and(|id| seen.insert(group(id))) {
                    set.insert(doc);
                }
            }
            set
        });
        Self { searcher: self.searcher, sets: Some(sets.collect()) }
    }

    /// Returns true if no passage matches the filter.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn index(&self) -> &Snapshot {
        &self.searcher.index
    }

    /// Returns the passages of a segment that match the filter, without deleted ones. `segment_index` is the segment's
    /// index in the snapshot.
    pub(crate) fn docs(&self, segment_index: usize) -> impl Iterator<Item = DocId> {
        let segment = &self.searcher.index.segments[segment_index];
        let allowed = segment.allowed(self.sets.as_ref().map(|sets| sets[segment_index].words()));
        let count = segment.reader.max_doc();
        (0..count).step_by(64).enumerate().flat_map(move |(word, first)| {
            let bits = allowed.as_ref().map_or(u64::MAX, |words| words[word]);
            // Each step clears the lowest set bit.
            let rest = std::iter::successors(Some(bits), |rest| Some(rest & rest.wrapping_sub(1)));
            let docs = rest.take(bits.count_ones() as usize).map(move |rest| first + rest.trailing_zeros());
            docs.take_while(move |&doc| doc < count)
        })
    }

    /// Does the same as [`Searcher::search`], among the passages that match the filter.
    ///
    /// # Errors
    ///
    /// Those of [`Searcher::search`].
    pub fn search(
        &self,
        query: &str,
        k: usize,
        parameters: Bm25,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        let query = Query::from_text(query, self.searcher.analyzer());
        self.searcher.search_query(&query, k, parameters, self.sets.as_deref(), control)
    }

    /// Does the same as [`Searcher::search_terms`], among the passages that match the filter.
    ///
    /// # Errors
    ///
    /// Those of [`Searcher::search_terms`].
    pub fn search_terms(
        &self,
        terms: &[(String, f32)],
        k: usize,
        parameters: Bm25,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        let query = Query::from_terms(terms)?;
        self.searcher.search_query(&query, k, parameters, self.sets.as_deref(), control)
    }

    /// Does the same as [`Searcher::search_many`], among the passages that match the filter.
    ///
    /// # Errors
    ///
    /// Those of [`Searcher::search_many`].
    pub fn search_many(
        &self,
        queries: &[&str],
        k: usize,
        parameters: Bm25,
        threads: usize,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        self.searcher.search_texts(queries, k, parameters, threads, self.sets.as_deref(), control)
    }
}
