//! Runs: the hits of many queries, by passage id.

use std::collections::HashMap;

/// A hit in a run, by its passage id.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredId {
    /// Passage id.
    pub id: String,
    /// Higher is better.
    pub score: f32,
}

/// The hits of many queries. Queries keep their insertion order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    queries: Vec<(String, Vec<ScoredId>)>,
    positions: HashMap<String, usize>,
}

impl Run {
    /// A run without queries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the hits of a query, best first. If the run already has the query, its hits are replaced and it keeps its
    /// position.
    pub fn insert(&mut self, query: impl Into<String>, hits: Vec<ScoredId>) {
        *self.hits_mut(query.into()) = hits;
    }

    /// Appends a hit to a query, which is added if it is new.
    pub fn push(&mut self, query: impl Into<String>, hit: ScoredId) {
        self.hits_mut(query.into()).push(hit);
    }

    /// The hits of a query.
    #[must_use]
    pub fn get(&self, query: &str) -> Option<&[ScoredId]> {
        self.positions.get(query).map(|&at| self.queries[at].1.as_slice())
    }

    /// The position of a query, from 0, in insertion order.
    #[must_use]
    pub fn position(&self, query: &str) -> Option<usize> {
        self.positions.get(query).copied()
    }

    /// The query at `position`, counted from 0 in insertion order, and its hits.
    #[must_use]
    pub fn at(&self, position: usize) -> Option<(&str, &[ScoredId])> {
        self.queries.get(position).map(|(query, hits)| (query.as_str(), hits.as_slice()))
    }

    /// Queries with their hits, in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &[ScoredId])> {
        self.queries.iter().map(|(query, hits)| (query.as_str(), hits.as_slice()))
    }

    /// Number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Whether there is no query.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    fn hits_mut(&mut self, query: String) -> &mut Vec<ScoredId> {
        let at = *self.positions.entry(query).or_insert_with_key(|query| {
            self.queries.push((query.clone(), Vec::new()));
            self.queries.len() - 1
        });
        &mut self.queries[at].1
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
