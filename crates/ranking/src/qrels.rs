//! Relevance judgments (qrels).

use std::collections::HashMap;

use indexmap::IndexMap;

/// Grades by passage id, in insertion order.
pub type Grades = IndexMap<String, i32>;

/// Relevance judgments: the grades of passages for each query. A grade of 0 or less means that the passage was judged
/// and is not relevant. Queries, and the passages of each query, keep their insertion order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Qrels {
    /// Query ids with their judgments.
    queries: Vec<(String, Grades)>,
    /// The index of each query id in `queries`.
    query_indexes: HashMap<String, usize>,
}

impl Qrels {
    /// Returns an empty set of judgments.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the grade of a passage for a query. A grade that was set before is replaced, and the order of queries and
    /// passages stays the same.
    pub fn insert(&mut self, query: impl Into<String>, passage: impl Into<String>, grade: i32) {
        let index = *self.query_indexes.entry(query.into()).or_insert_with_key(|query| {
            self.queries.push((query.clone(), Grades::new()));
            self.queries.len() - 1
        });
        self.queries[index].1.insert(passage.into(), grade);
    }

    /// Returns the judgments of a query, or `None` if it has none.
    #[must_use]
    pub fn get(&self, query: &str) -> Option<&Grades> {
        self.query_indexes.get(query).map(|&index| &self.queries[index].1)
    }

    /// Iterates over the queries with their judgments, in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Grades)> {
        self.queries.iter().map(|(query, grades)| (query.as_str(), grades))
    }

    /// Number of queries with judgments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Whether there are no judgments.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }
}
