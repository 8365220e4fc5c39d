//! What BM25 computes once per segment, for all terms of all queries.

use crate::postings::Dictionary;
use crate::scoring::bm25::{Bm25, saturated};

/// A segment's impacts with parameters and an average length: what is the same for all terms.
#[derive(Debug, Clone)]
pub(crate) struct ContributionTable {
    /// For each length code 1 / norm.
    inverse_norms: [f32; 256],
    /// For each code r = frequency / norm.
    pub by_code: [f32; 256],
    /// For each code 1 − 1 / (1 + r), of which the contribution is made but for rounding.
    pub gains: [f32; 256],
}

impl ContributionTable {
    pub fn new(dictionary: &Dictionary, parameters: Bm25, average_length: f32) -> Self {
        let inverse_norms = parameters.inverse_norms(average_length);
        let by_code = dictionary.ratios(&inverse_norms);
        Self { inverse_norms, by_code, gains: by_code.map(|ratio| saturated(1.0, ratio)) }
    }

    /// That of an impact without a code.
    pub fn escaped(&self, frequency: u32, length_code: u8) -> f32 {
        frequency as f32 * self.inverse_norms[usize::from(length_code)]
    }
}
