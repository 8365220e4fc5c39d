//! The statistics of the whole index that BM25 needs.

/// Counts over all segments of an index. As in Lucene, a deleted passage counts until its segment is merged.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Statistics {
    /// N in the formula: the number of passages with at least one token.
    pub passages: u64,
    /// Number of tokens of all passages.
    pub tokens: u64,
}

impl Statistics {
    /// Returns the mean number of tokens per passage, without passages that have none; 0 if no passage has tokens.
    #[must_use]
    pub fn average_length(self) -> f32 {
        if self.passages == 0 { 0.0 } else { (self.tokens as f64 / self.passages as f64) as f32 }
    }
}
