//! A query as weighted terms. They are analyzed from a text, or the caller passes them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::{Analyzer, Error};

/// Distinct terms with their weights, in the order of their first occurrence in the query.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Query {
    pub terms: Vec<(String, f32)>,
}

impl Query {
    /// Analyzes a text. The weight of a term is the number of its occurrences.
    pub fn from_text(text: &str, analyzer: Analyzer) -> Self {
        let mut builder = Builder::default();
        analyzer.for_each_token(text, |token| builder.add(token, 1.0));
        builder.query
    }

    /// Creates a query from terms as the analyzer returns them. The weights of equal terms are added up, and terms with
    /// weight 0 are dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a weight that is negative or not finite.
    pub fn from_terms(terms: &[(String, f32)]) -> Result<Self, Error> {
        let mut builder = Builder::default();
        for (term, weight) in terms {
            if !(weight.is_finite() && *weight >= 0.0) {
                let expected = "a finite number of at least 0";
                return Err(Error::Argument {
                    what: "weight",
                    expected,
                    got: format!("{weight} for \"{term}\""),
                });
            }
            builder.add(term, *weight);
        }
        builder.query.terms.retain(|&(_, weight)| weight > 0.0);
        Ok(builder.query)
    }

    /// Returns the byte range of each word (or word piece) of a text that becomes a term of this query. The ranges are
    /// in order and do not overlap.
    pub fn ranges_in(&self, text: &str, analyzer: &Analyzer) -> Vec<Range<usize>> {
        let terms: HashSet<&str> = self.terms.iter().map(|(term, _)| term.as_str()).collect();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        analyzer.for_each_token_and_range(text, |term, range| {
            // A tokenizer may split one character into several pieces. The character must be in one range only.
            let start = range.start.max(ranges.last().map_or(0, |last| last.end));
            if start < range.end && terms.contains(term) {
                ranges.push(start..range.end);
            }
        });
        ranges
    }
}

/// Adds terms to a query, and adds up the weights of equal terms.
#[derive(Default)]
struct Builder {
    query: Query,
    /// The index of each term in `query.terms`; empty for up to [`MAX_TERMS_WITHOUT_INDEXES`] terms.
    indexes: HashMap<String, usize>,
}

/// Maximum number of terms that are compared with a new term one by one. Hashing the terms of a short query takes
/// longer.
const MAX_TERMS_WITHOUT_INDEXES: usize = 16;

impl Builder {
    fn add(&mut self, term: &str, weight: f32) {
        if let Some(index) = self.index_of(term) {
            self.query.terms[index].1 += weight;
            return;
        }
        let terms = &mut self.query.terms;
        terms.push((term.to_owned(), weight));
        if terms.len() > MAX_TERMS_WITHOUT_INDEXES {
            let without_index = terms.iter().enumerate().skip(self.indexes.len());
            self.indexes.extend(without_index.map(|(index, (term, _))| (term.clone(), index)));
        }
    }

    fn index_of(&self, term: &str) -> Option<usize> {
        if self.indexes.is_empty() {
            return self.query.terms.iter().position(|(other, _)| other == term);
        }
        self.indexes.get(term).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_keep_the_order_of_their_first_occurrence() {
        let query = Query::from_text("Dogs and cats and a dog", Analyzer::ENGLISH);
        assert_eq!(query.terms, [("dog".to_owned(), 2.0), ("cat".to_owned(), 1.0)]);
    }

    #[test]
    fn a_query_with_many_terms_has_each_of_them_once() {
        let words: Vec<String> = (0..100).map(|at| format!("w{}", at * 7 % 40)).collect();
        let query = Query::from_text(&words.join(" "), Analyzer::WHITESPACE);
        let weights = (0..40).map(|at| (words[at].clone(), if at < 20 { 3.0 } else { 2.0 }));
        assert_eq!(query.terms, weights.collect::<Vec<_>>());
    }

    #[test]
    fn weights_are_added_and_must_be_finite_and_at_least_0() {
        let terms = |weights: &[(&str, f32)]| {
            Query::from_terms(
                &weights.iter().map(|&(term, weight)| (term.to_owned(), weight)).collect::<Vec<_>>(),
            )
        };
        let query = terms(&[("a", 0.5), ("b", 0.0), ("a", 0.25)]).expect("valid weights");
        assert_eq!(query.terms, [("a".to_owned(), 0.75)]);
        let error = terms(&[("a", -1.0)]).expect_err("a negative weight").to_string();
        assert_eq!(error, "weight: expected a finite number of at least 0, got -1 for \"a\"");
    }
}
