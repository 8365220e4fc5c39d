//! Searching the passages that a filter lets through.

use std::sync::Arc;

use control::Control;
use ranking::{BitSet, Hit};

use crate::analysis::query::Query;
use crate::filter::evaluate::resolve;
use crate::filter::expression::Filter;
use crate::filter::fields::{PassageFields, read_fields};
use crate::filter::known_fields::check_known;
use crate::index::integrity::guarded;
use crate::search::searcher::Searcher;
use crate::{Bm25, Error};

/// A searcher that finds only what meets a filter. Statistics are those of the whole index, so a passage has the
/// score that it has without a filter.
#[derive(Debug)]
pub struct FilteredSearcher<'a> {
    searcher: &'a Searcher,
    sets: Option<Arc<[BitSet]>>,
}

impl Searcher {
    /// This searcher for passages that meet a filter; for all, where there is none. What the last filters found is
    /// kept: one used again costs nothing.
    ///
    /// # Errors
    ///
    /// Those of [`Filter::check`]; [`Error::Part`] for a condition on a field that no passage has, or with a kind of
    /// value that the field never has (see [`Filter`]); [`Error::Cancelled`]; [`Error::Corrupt`] or [`Error::Io`] if
    /// the index cannot be read.
    pub fn filtered(
        &self,
        filter: Option<&Filter>,
        control: &Control,
    ) -> Result<FilteredSearcher<'_>, Error> {
        let sets = filter.map(|filter| self.sets(filter, control)).transpose()?;
        Ok(FilteredSearcher { searcher: self, sets })
    }

    /// The fields of the passage with this id; none if it has none.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPassage`]; [`Error::Corrupt`] or [`Error::Io`].
    pub fn fields(&self, id: &str) -> Result<PassageFields, Error> {
        guarded(&self.index.path, || match self.index.find_id(id)? {
            Some((segment, doc)) => read_fields(&self.index, segment, doc),
            None => Err(Error::UnknownPassage { operation: "fields", got: format!("id \"{id}\"") }),
        })
    }

    fn sets(&self, filter: &Filter, control: &Control) -> Result<Arc<[BitSet]>, Error> {
        if let Some(sets) = self.filters.get(filter) {
            return Ok(sets);
        }
        filter.check()?;
        let resolved = || {
            if !self.is_empty() {
                check_known(filter, &self.index)?;
            }
            resolve(filter, &self.index, control)
        };
        let sets = guarded(&self.index.path, resolved)?.into();
        self.filters.put(filter, &sets);
        Ok(sets)
    }
}

impl FilteredSearcher<'_> {
    /// Passages that the filter lets through.
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

    /// Whether the filter lets no passage through.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// [`Searcher::search`] of what the filter lets through: the `k` best of it.
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

    /// [`Searcher::search_terms`] of what the filter lets through.
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

    /// [`Searcher::search_many`] of what the filter lets through.
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
