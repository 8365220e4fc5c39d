//! The public searcher for the passages that meet a filter.

use std::sync::Arc;

use control::Control;
use ranking::{BitSet, Hit};

use crate::analysis::query::Query;
use crate::filter::evaluate;
use crate::filter::expression::Filter;
use crate::filter::fields::{PassageFields, read_fields};
use crate::filter::known_fields::check_known;
use crate::index::snapshot::Location;
use crate::search::searcher::Searcher;
use crate::{Bm25, Error};

/// Searches only the passages that meet a filter. It uses the statistics of the whole index, so a passage has the same
/// score as without a filter.
#[derive(Debug)]
pub struct FilteredSearcher<'a> {
    searcher: &'a Searcher,
    /// The allowed passages of each segment; `None` without a filter.
    sets: Option<Arc<[BitSet]>>,
}

impl Searcher {
    /// A searcher for the passages that meet a filter, or for all passages without one. The results of the most recently
    /// used filters are cached.
    ///
    /// # Errors
    ///
    /// Those of [`Filter::check`]; [`Error::Part`] for a condition on a field that no passage has, or for a value of a
    /// type that the field never has (see [`Filter`]); [`Error::Cancelled`]; [`Error::Corrupt`] or [`Error::Io`] if
    /// the index cannot be read.
    pub fn filtered(
        &self,
        filter: Option<&Filter>,
        control: &Control,
    ) -> Result<FilteredSearcher<'_>, Error> {
        let sets = filter.map(|filter| self.sets(filter, control)).transpose()?;
        Ok(FilteredSearcher { searcher: self, sets })
    }

    /// The fields of the passage with this id; empty if it has none.
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

    fn sets(&self, filter: &Filter, control: &Control) -> Result<Arc<[BitSet]>, Error> {
        if let Some(sets) = self.filters.get(filter) {
            return Ok(sets);
        }
        filter.check()?;
        let evaluate = || {
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

impl FilteredSearcher<'_> {
    /// The number of passages that meet the filter.
    #[must_use]
    pub fn len(&self) -> u64 {
        let Some(sets) = &self.sets else { return self.searcher.len() };
        let counts = self.searcher.index.segments.iter().zip(sets.iter()).map(|(segment, set)| {
            if segment.reader.has_deletes() {
                segment.reader.doc_ids_alive().filter(|&doc| set.contains(doc)).count()
            } else {
                set.len()
            }
        });
        counts.map(|count| count as u64).sum()
    }

    /// Whether no passage meets the filter.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same as [`Searcher::search`], among the passages that meet the filter.
    ///
    /// # Errors
    ///
    /// See there.
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

    /// The same as [`Searcher::search_terms`], among the passages that meet the filter.
    ///
    /// # Errors
    ///
    /// See there.
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

    /// The same as [`Searcher::search_many`], among the passages that meet the filter.
    ///
    /// # Errors
    ///
    /// See there.
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
