//! Fusion by a weighted sum of scores (`CombSUM` with weights: Fox and Shaw, 1994; Lee, 1997).

use crate::union::Union;
use crate::{Error, Normalization};

/// The score that a list gives to a passage that it did not retrieve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// 0.
    Zero,
    /// The lowest score in the list; 0 if the list is empty.
    Minimum,
}

/// A weighted sum over lists: Σ weight · normalized score.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    /// One weight per list.
    pub weights: Vec<f64>,
    /// How each list's scores are normalized first.
    pub normalization: Normalization,
    /// The score of a passage that a list did not retrieve, on the normalized scale.
    pub missing: Missing,
}

impl Linear {
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

    /// Whether [`fill_missing`](Self::fill_missing) gives the same for both, because they differ in their weights at most.
    pub(crate) fn fills_like(&self, other: &Self) -> bool {
        (self.normalization, self.missing) == (other.normalization, other.missing)
    }

    /// The normalized score that each list gives to each passage: `[lists][slots]`.
    pub(crate) fn fill_missing(&self, union: &Union) -> Vec<Vec<f64>> {
        let columns = union.columns().iter().map(|column| {
            let scores = self.normalization.apply(column.iter().map(|entry| entry.score).collect());
            let min = scores.iter().copied().reduce(f64::min).unwrap_or(0.0);
            let missing = if self.missing == Missing::Minimum { min } else { 0.0 };
            let mut filled = vec![missing; union.passages().len()];
            for (entry, score) in column.iter().zip(scores) {
                filled[entry.slot as usize] = score;
            }
            filled
        });
        columns.collect()
    }

    /// Adds the weighted sum of the lists' scores, from [`fill_missing`](Self::fill_missing), to `sums`.
    pub(crate) fn add_weighted(&self, filled: &[Vec<f64>], sums: &mut [f64]) {
        for (scores, weight) in filled.iter().zip(&self.weights) {
            for (sum, score) in sums.iter_mut().zip(scores) {
                *sum += weight * score;
            }
        }
    }
}
