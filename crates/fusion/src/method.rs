//! The fusion methods. Each computes a fused score for every passage.

use crate::union::Union;
use crate::{Error, Linear, ReciprocalRank};

/// How several lists are fused into one.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// A weighted sum of scores.
    Linear(Linear),
    /// A sum of reciprocal ranks.
    ReciprocalRank(ReciprocalRank),
}

impl Method {
    /// Reciprocal rank fusion with this constant.
    #[must_use]
    pub fn reciprocal_rank(constant: f64) -> Self {
        Self::ReciprocalRank(ReciprocalRank { constant })
    }

    /// Returns the fused score of every passage, in the order of [`Union::passages`].
    pub(crate) fn scores(&self, union: &Union) -> Result<Vec<f64>, Error> {
        match self {
            Self::Linear(linear) => {
                linear.check(union.columns().len())?;
                let list_scores = linear.list_scores(union);
                let mut scores = vec![0.0; union.passages().len()];
                linear.add_weighted(&list_scores, &mut scores);
                Ok(scores)
            }
            Self::ReciprocalRank(reciprocal_rank) => reciprocal_rank.scores(union),
        }
    }
}
