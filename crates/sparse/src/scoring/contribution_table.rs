//! What BM25 computes once per segment, for all terms of all queries.
//!
//! ```text
//! impact code → (frequency, fieldnorm) → normalized frequency → contribution
//!               the dictionary           this table             `saturated`, with the term's weight
//! ```

use crate::postings::Dictionary;
use crate::scoring::bm25::{Bm25, saturated};

/// The parts of BM25 that depend on a segment's impacts, the parameters and the average length, but not on a term.
/// The arrays "by code" are indexed by impact codes; entries of codes without an impact are 0.
#[derive(Debug, Clone)]
pub(crate) struct ContributionTable {
    /// 1 / norm, by fieldnorm.
    inverse_norms: [f32; 256],
    /// Frequency / norm, by code. [`saturated`] computes a term's exact contribution from it.
    pub normalized_frequencies: [f32; 256],
    /// r / (1 + r), by code, where r is the normalized frequency: the contribution of a term with weight 1. Multiplied
    /// by another weight, it is that term's contribution except for rounding errors, which is enough for upper bounds.
    pub saturations: [f32; 256],
}

impl ContributionTable {
    pub fn new(dictionary: &Dictionary, parameters: Bm25, average_length: f32) -> Self {
        let inverse_norms = parameters.inverse_norms(average_length);
        let normalized_frequencies = dictionary.normalized_frequencies(&inverse_norms);
        let saturations = normalized_frequencies.map(|frequency| saturated(1.0, frequency));
        Self { inverse_norms, normalized_frequencies, saturations }
    }

    /// Returns the normalized frequency of an impact that has no code.
    pub fn normalized_frequency(&self, frequency: u32, fieldnorm: u8) -> f32 {
        frequency as f32 * self.inverse_norms[usize::from(fieldnorm)]
    }
}
