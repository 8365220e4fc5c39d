//! Fusion by a weighted sum of scores, which is `CombSUM` with weights (Fox and Shaw, 1994; Lee, 1997).

use crate::union::Union;
use crate::{Error, Normalization};

/// The score that a list gives to a passage that it does not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// 0.
    Zero,
    /// The lowest score in the list, or 0 if the list is empty.
    Minimum,
}

/// A weighted sum over lists. The fused score of a passage is Σ weight · normalized score.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    /// One weight per list.
    pub weights: Vec<f64>,
    /// How the scores of each list are normalized before they are added.
    pub normalization: Normalization,
    /// The normalized score that a list gives to a passage that it does not contain.
    pub missing: Missing,
}

impl Linear {
    /// Fails if the number of weights differs from the number of lists, or if a weight is not finite.
    pub(crate) fn check(&self, list_count: usize) -> Result<(), Error> {
        if self.weights.len() != list_count {
            let (expected, got) = (format!("{list_count} (one per list)"), self.weights.len().to_string());
            return Err(Error::Argument { what: "weights", expected, got });
        }
        match self.weights.iter().find(|weight| !weight.is_finite()) {
            Some(weight) => {
                let expected = "a finite number".into();
                Err(Error::Argument { what: "weight", expected, got: weight.to_string() })
            }
            None => Ok(()),
        }
    }

    /// Whether both methods have the same [`list_scores`](Self::list_scores). Such methods differ at most in their
    /// weights.
    pub(crate) fn has_same_scores(&self, other: &Self) -> bool {
        (self.normalization, self.missing) == (other.normalization, other.missing)
    }

    /// Returns the normalized score that each list gives to each passage, as `[lists][slots]`. A slot is the number of
    /// a passage in `union`.
    pub(crate) fn list_scores(&self, union: &Union) -> Vec<Vec<f64>> {
        let columns = union.columns().iter().map(|column| {
            let scores = self.normalization.apply(column.iter().map(|entry| entry.score).collect());
            let min = scores.iter().copied().reduce(f64::min).unwrap_or(0.0);
            let missing = if self.missing == Missing::Minimum { min } else { 0.0 };
            let mut by_slot = vec![missing; union.passages().len()];
            for (entry, score) in column.iter().zip(scores) {
                by_slot[entry.slot as usize] = score;
            }
            by_slot
        });
        columns.collect()
    }

    /// Adds the weighted sum of [`list_scores`](Self::list_scores) to `sums`, which has one entry per slot.
    pub(crate) fn add_weighted(&self, list_scores: &[Vec<f64>], sums: &mut [f64]) {
        for (scores, weight) in list_scores.iter().zip(&self.weights) {
            for (sum, score) in sums.iter_mut().zip(scores) {
                *sum += weight * score;
            }
        }
    }
}
