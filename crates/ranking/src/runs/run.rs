//! A run whose hits have passage ids: the hits of many queries, as they are read from a run file or written to one.

use std::collections::HashMap;

/// A hit of a run: the id of a passage, and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredId {
    /// Passage id.
    pub id: String,
    /// Higher is better.
    pub score: f32,
}

/// The hits of many queries, by passage id. Queries keep their insertion order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Query ids with their hits.
    queries: Vec<(String, Vec<ScoredId>)>,
    /// The index of each query id in `queries`.
    query_indexes: HashMap<String, usize>,
}

impl Run {
    /// Returns a run without queries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the hits of a query, best first. If the run already has the query, the new hits replace the old ones, and
    /// the order of the queries stays the same.
    pub fn insert(&mut self, query: impl Into<String>, hits: Vec<ScoredId>) {
        *self.hits_mut(query.into()) = hits;
    }

    /// Appends a hit to the hits of a query. Adds the query if it is new.
    pub fn push(&mut self, query: impl Into<String>, hit: ScoredId) {
        self.hits_mut(query.into()).push(hit);
    }

    /// Returns the hits of a query, or `None` if the run does not have the query.
    #[must_use]
    pub fn get(&self, query: &str) -> Option<&[ScoredId]> {
        self.query_indexes.get(query).map(|&index| self.queries[index].1.as_slice())
    }

    /// Returns the index of a query: 0 for the first query of the run.
    #[must_use]
    pub fn query_index(&self, query: &str) -> Option<usize> {
        self.query_indexes.get(query).copied()
    }

    /// Returns the id of the query with this index, and the hits of the query.
    #[must_use]
    pub fn at(&self, query_index: usize) -> Option<(&str, &[ScoredId])> {
        self.queries.get(query_index).map(|(query, hits)| (query.as_str(), hits.as_slice()))
    }

    /// Query ids with their hits, in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &[ScoredId])> {
        self.queries.iter().map(|(query, hits)| (query.as_str(), hits.as_slice()))
    }

    /// Number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Whether the run has no queries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    fn hits_mut(&mut self, query: String) -> &mut Vec<ScoredId> {
        let index = *self.query_indexes.entry(query).or_insert_with_key(|query| {
            self.queries.push((query.clone(), Vec::new()));
            self.queries.len() - 1
        });
        &mut self.queries[index].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_keep_their_insertion_order() {
        let mut run = Run::new();
        run.push("q2", ScoredId { id: "a".into(), score: 1.0 });
        run.push("q1", ScoredId { id: "b".into(), score: 1.0 });
        run.push("q2", ScoredId { id: "c".into(), score: 0.5 });
        let order: Vec<_> = run.iter().map(|(query, hits)| (query, hits.len())).collect();
        assert_eq!(order, [("q2", 2), ("q1", 1)]);
        assert_eq!(run.get("q1").map(<[_]>::len), Some(1));
        assert_eq!(run.at(1).map(|(query, hits)| (query, hits.len())), Some(("q1", 1)));
        assert_eq!(run.at(2), None);
    }
}
