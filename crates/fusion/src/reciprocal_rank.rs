//! Reciprocal rank fusion, which uses ranks instead of scores.

use crate::Error;
use crate::union::Union;

/// The fused score of a passage is Σ 1 / (constant + rank) over the lists that contain the passage, with ranks from 1
/// (Cormack, Clarke and Büttcher, 2009, §2). The paper sets the constant to 60. The scores in the lists are ignored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReciprocalRank {
    /// At least 0. The larger the constant, the smaller the advantage of the first ranks.
    pub constant: f64,
}

impl ReciprocalRank {
    /// Returns the fused score of every passage, in the order of [`Union::passages`].
    pub(crate) fn scores(self, union: &Union) -> Result<Vec<f64>, Error> {
        if !(self.constant >= 0.0 && self.constant.is_finite()) {
            let (expected, got) = ("a finite number of at least 0".to_owned(), self.constant.to_string());
            // `rankConstant` is the name of the option in the TypeScript API.
            return Err(Error::Argument { what: "rankConstant", expected, got });
        }
        let mut scores = vec![0.0; union.passages().len()];
        for column in union.columns() {
            for (index, entry) in column.iter().enumerate() {
                scores[entry.slot as usize] += 1.0 / (self.constant + (index + 1) as f64);
            }
        }
        Ok(scores)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Method, fuse};
    use ranking::Hit;

    #[test]
    fn fused_scores_depend_on_ranks_only() {
        let first = [Hit { ord: 1, score: 1000.0 }, Hit { ord: 2, score: 0.0 }];
        let second = [Hit { ord: 3, score: 0.2 }, Hit { ord: 9, score: 0.1 }, Hit { ord: 2, score: -1.0 }];
        let fused = fuse(&[&first, &second], &Method::reciprocal_rank(60.0), 3).expect("fuses");
        let expected = [(2, 1.0 / 62.0 + 1.0 / 63.0), (1, 1.0 / 61.0), (3, 1.0 / 61.0)];
        assert_eq!(fused, expected.map(|(ord, score): (u32, f64)| Hit { ord, score: score as f32 }));
    }

    #[test]
    fn a_negative_constant_is_refused() {
        let error = fuse(&[&[]], &Method::reciprocal_rank(-1.0), 3).expect_err("refused");
        assert_eq!(error.to_string(), "rankConstant: expected a finite number of at least 0, got -1");
    }
}
