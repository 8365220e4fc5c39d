//! Reciprocal rank fusion.

use crate::Error;
use crate::union::Union;

/// Σ 1 / (constant + rank) over the lists, with ranks from 1. Scores are ignored (Cormack, Clarke and Büttcher, 2009,
/// §2, who set the constant to 60).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReciprocalRank {
    /// At least 0. The larger it is, the less the first ranks of a list count.
    pub constant: f64,
}

impl ReciprocalRank {
    /// The fused score of every passage, by slot.
    pub(crate) fn scores(self, union: &Union) -> Result<Vec<f64>, Error> {
        if !(self.constant >= 0.0 && self.constant.is_finite()) {
            let (expected, got) = ("a finite number of at least 0".to_owned(), self.constant.to_string());
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
    fn ranks_count_and_scores_do_not() {
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
