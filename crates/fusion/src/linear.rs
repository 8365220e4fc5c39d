use crate::fuse::Column;
use crate::{Error, Normalisation};

/// What a list says of a passage that it did not retrieve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// 0.
    Zero,
    /// The lowest score that the list retrieved; 0 for an empty list.
    Minimum,
}

/// A weighted sum of the lists' scores: Σ weight · normalised score.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    /// One a list.
    pub weights: Vec<f64>,
    /// How a list's scores are made comparable first.
    pub normalisation: Normalisation,
    /// What stands in for a missing score, after normalisation.
    pub missing: Missing,
}

impl Linear {
    pub(crate) fn add(&self, columns: &[Column], scores: &mut [f64]) -> Result<(), Error> {
        if self.weights.len() != columns.len() {
            let (expected, got) = (format!("{} (one a list)", columns.len()), self.weights.len().to_string());
            return Err(Error::Argument { what: "weights", expected, got });
        }
        if let Some(weight) = self.weights.iter().find(|weight| !weight.is_finite()) {
            return Err(Error::Argument {
                what: "weight",
                expected: "a finite number".into(),
                got: weight.to_string(),
            });
        }
        let mut parts = vec![0.0; scores.len()];
        for (column, weight) in columns.iter().zip(&self.weights) {
            let values = self.normalisation.apply(column.iter().map(|&(_, score)| score).collect());
            let lowest = values.iter().copied().reduce(f64::min).unwrap_or(0.0);
            parts.fill(if self.missing == Missing::Minimum { lowest } else { 0.0 });
            for (&(position, _), value) in column.iter().zip(values) {
                parts[position] = value;
            }
            for (score, part) in scores.iter_mut().zip(&parts) {
                *score += weight * part;
            }
        }
        Ok(())
    }
}
