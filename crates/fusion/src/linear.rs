use crate::union::Union;
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
    pub(crate) fn check(&self, lists: usize) -> Result<(), Error> {
        if self.weights.len() != lists {
            let (expected, got) = (format!("{lists} (one a list)"), self.weights.len().to_string());
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

    /// Whether another differs in weights alone.
    pub(crate) fn has_parts_of(&self, other: &Self) -> bool {
        (self.normalisation, self.missing) == (other.normalisation, other.missing)
    }

    /// What each list says of every passage, before it is weighted.
    pub(crate) fn parts(&self, union: &Union) -> Vec<Vec<f64>> {
        let columns = union.columns().iter();
        let part = columns.map(|column| {
            let values = self.normalisation.apply(column.iter().map(|&(_, score)| score).collect());
            let lowest = values.iter().copied().reduce(f64::min).unwrap_or(0.0);
            let missing = if self.missing == Missing::Minimum { lowest } else { 0.0 };
            let mut part = vec![missing; union.passages().len()];
            for (&(place, _), value) in column.iter().zip(values) {
                part[place as usize] = value;
            }
            part
        });
        part.collect()
    }

    /// Adds the weighted parts to scores.
    pub(crate) fn add(&self, parts: &[Vec<f64>], scores: &mut [f64]) {
        for (part, weight) in parts.iter().zip(&self.weights) {
            for (score, part) in scores.iter_mut().zip(part) {
                *score += weight * part;
            }
        }
    }
}
