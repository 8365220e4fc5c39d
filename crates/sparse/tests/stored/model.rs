//! The model: a list of passages, in the order in which they were added.

use serde_json::Value;
use sparse::{PassageFields, StoredPassage};

/// A passage that is not deleted.
#[derive(Debug, Clone)]
pub struct Passage {
    pub ord: u32,
    pub content: StoredPassage,
    /// Whether the title and the text were stored.
    pub is_stored: bool,
}

/// What a commit must contain.
#[derive(Debug, Clone, Default)]
pub struct Model {
    pub passages: Vec<Passage>,
    pub next_ord: u32,
    pub state: Value,
}

impl Model {
    pub fn has(&self, id: &str) -> bool {
        self.passages.iter().any(|passage| passage.content.id == id)
    }

    pub fn add(&mut self, content: StoredPassage, is_stored: bool) {
        self.passages.push(Passage { ord: self.next_ord, content, is_stored });
        self.next_ord += 1;
    }

    pub fn delete(&mut self, id: &str) {
        self.passages.retain(|passage| passage.content.id != id);
    }

    /// Returns the ords of the passages whose fields satisfy a condition.
    pub fn ords(&self, condition: impl Fn(&PassageFields) -> bool) -> Vec<u32> {
        let matching = self.passages.iter().filter(|passage| condition(&passage.content.fields));
        matching.map(|passage| passage.ord).collect()
    }
}
