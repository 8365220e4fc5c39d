//! Converts the contributions of terms to integer *quantization steps*, so that upper bounds on scores fit in 16 bits.
//! All terms of a query have the same step size; [`BoundScale::bound`] rounds up.

use crate::search::query_terms::WeightedTerm;

/// The maximum score, which is the sum of the weights of a query's terms, in quantization steps. The rest of the 65,536
/// values of 16 bits is for rounding up.
const MAX_SCORE_STEPS: u16 = 49_152;

/// Maximum number of query terms. Rounding up adds at most 256 steps per term with a bitmap (see
/// [`BoundScale::shift`]) and one per other term, so the bounds of 60 terms still fit in 16 bits:
/// 49,152 + 60 · 256 < 65,536.
const MAX_TERMS: usize = 60;

/// The step size of one query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoundScale {
    /// Number of quantization steps in a score of 1.
    pub steps: f32,
}

impl BoundScale {
    /// Returns the scale for a query's terms; `None` if there are too many terms, or if their weights are too small or
    /// too large.
    pub fn new(terms: &[WeightedTerm]) -> Option<Self> {
        let max_score: f64 = terms.iter().map(|term| f64::from(term.weight)).sum();
        let steps = (f64::from(MAX_SCORE_STEPS) / max_score) as f32;
        (terms.len() <= MAX_TERMS && steps.is_normal()).then_some(Self { steps })
    }

    /// Returns an upper bound on a contribution, in steps. It exceeds the contribution by at most one step and the
    /// rounding error of f32.
    #[inline]
    pub fn bound(self, contribution: f32) -> u16 {
        (contribution * self.steps) as u16 + 1
    }

    /// Returns the shift for the terms with bitmaps, given their weights. The kernels add up the bounds of these terms
    /// in 8 bits, in units of `1 << shift` steps. The result is the smallest shift for which the sum is at most 255
    /// units.
    pub fn shift(self, weights: impl Iterator<Item = f32> + Clone) -> u32 {
        let units = |weight, shift: u32| u32::from(self.bound(weight) >> shift) + 1;
        let sum = |shift| weights.clone().map(|weight| units(weight, shift)).sum::<u32>();
        // A term has at least (bound + 1) / 2^shift units, so with a smaller shift than this, the sum is at least 256.
        let first = sum(0).checked_ilog2().unwrap_or(0).saturating_sub(7);
        (first..=8)
            .find(|&shift| sum(shift) < 256)
            .expect("49,152 steps are at most 192 units of 256 steps, plus one per term")
    }
}
