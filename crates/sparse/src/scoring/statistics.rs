//! What BM25 needs to know of the whole index.

/// Counts over every segment of an index, in which a deleted passage counts until its segment is merged, as in
/// Lucene.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Statistics {
    /// N: passages with at least one token.
    pub passages: u64,
    /// Tokens of all passages.
    pub tokens: u64,
}

impl Statistics {
    /// Mean tokens of the passages that have any; 0 if none has.
    #[must_use]
    pub fn average_length(self) -> f32 {
        if self.passages == 0 { 0.0 } else { (self.tokens as f64 / self.passages as f64) as f32 }
    }
}
