use std::collections::HashMap;

use indexmap::IndexMap;

/// Passage id → grade, in the order of insertion.
pub type Grades = IndexMap<String, i32>;

/// Relevance judgments: query id → passage id → grade. 0 is judged and not relevant; a negative grade counts as that too.
/// Queries, and the passages of each query, keep the order in which they were inserted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Qrels {
    queries: Vec<(String, Grades)>,
    positions: HashMap<String, usize>,
}

impl Qrels {
    /// No judgements.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one grade. A passage that was judged before for that query gets the new grade and keeps its place.
    pub fn insert(&mut self, query: impl Into<String>, passage: impl Into<String>, grade: i32) {
        let at = *self.positions.entry(query.into()).or_insert_with_key(|query| {
            self.queries.push((query.clone(), Grades::new()));
            self.queries.len() - 1
        });
        self.queries[at].1.insert(passage.into(), grade);
    }

    /// The judgements of a query.
    #[must_use]
    pub fn get(&self, query: &str) -> Option<&Grades> {
        self.positions.get(query).map(|&at| &self.queries[at].1)
    }

    /// Queries with their judgements, in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Grades)> {
        self.queries.iter().map(|(query, grades)| (query.as_str(), grades))
    }

    /// Number of queries judged.
    #[must_use]
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Whether nothing is judged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }
}
