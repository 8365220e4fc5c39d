//! Queries as weighted terms.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::{Analyzer, Error};

/// Terms, each once, in the order in which they first stand in the query.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Query {
    pub terms: Vec<(String, f32)>,
}

impl Query {
    /// The terms of a text, each with its count.
    pub fn from_text(text: &str, analyzer: Analyzer) -> Self {
        let mut builder = Builder::default();
        analyzer.for_each_token(text, |token| builder.add(token, 1.0));
        builder.query
    }

    /// Terms that are analysed already; weights of equal terms add up, and a weight of 0 drops a term.
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
}

#[derive(Default)]
struct Builder {
    query: Query,
    positions: HashMap<String, usize>,
}

impl Builder {
    fn add(&mut self, term: &str, weight: f32) {
        match self.positions.entry(term.to_owned()) {
            Entry::Occupied(at) => self.query.terms[*at.get()].1 += weight,
            Entry::Vacant(free) => {
                free.insert(self.query.terms.len());
                self.query.terms.push((term.to_owned(), weight));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_keep_the_order_of_their_first_appearance() {
        let query = Query::from_text("Dogs and cats and a dog", Analyzer::ENGLISH);
        assert_eq!(query.terms, [("dog".to_owned(), 2.0), ("cat".to_owned(), 1.0)]);
    }

    #[test]
    fn weights_add_up_and_must_be_usable() {
        let terms = |weights: &[(&str, f32)]| {
            Query::from_terms(
                &weights.iter().map(|&(term, weight)| (term.to_owned(), weight)).collect::<Vec<_>>(),
            )
        };
        let query = terms(&[("a", 0.5), ("b", 0.0), ("a", 0.25)]).expect("usable weights");
        assert_eq!(query.terms, [("a".to_owned(), 0.75)]);
        let error = terms(&[("a", -1.0)]).expect_err("a negative weight").to_string();
        assert_eq!(error, "weight: expected a finite number of at least 0, got -1 for \"a\"");
    }
}
