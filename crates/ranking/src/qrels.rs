use std::collections::HashMap;

/// Judgements: query id → passage id → grade. 0 is judged and not relevant; a negative grade counts as that too.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Qrels {
    queries: Vec<(String, HashMap<String, i32>)>,
    positions: HashMap<String, usize>,
}

impl Qrels {
    /// No judgements.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one grade; a passage judged before for that query is judged anew.
    pub fn insert(&mut self, query: impl Into<String>, passage: impl Into<String>, grade: i32) {
        let at = *self.positions.entry(query.into()).or_insert_with_key(|query| {
            self.queries.push((query.clone(), HashMap::new()));
            self.queries.len() - 1
        });
        self.queries[at].1.insert(passage.into(), grade);
    }

    /// The judgements of a query.
    #[must_use]
    pub fn get(&self, query: &str) -> Option<&HashMap<String, i32>> {
        self.positions.get(query).map(|&at| &self.queries[at].1)
    }

    /// Queries with their judgements, in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &HashMap<String, i32>)> {
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
