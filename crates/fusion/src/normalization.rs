//! Normalizes the scores of a list, so that the scores of different searchers can be added.

/// How the scores of one list are normalized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Normalization {
    /// Scores are used as they are.
    #[default]
    None,
    /// (score − min) / (max − min), which is from 0 to 1. It is 1 if all scores are equal.
    MinMax,
    /// (score − mean) / standard deviation, where the mean and the population standard deviation are those of the
    /// list's scores. It is 0 if all scores are equal.
    ZScore,
}

impl Normalization {
    /// Normalizes the scores of one list.
    pub(crate) fn apply(self, mut scores: Vec<f64>) -> Vec<f64> {
        let (shift, scale) = match self {
            Self::None => return scores,
            Self::MinMax => {
                let min = scores.iter().copied().fold(f64::INFINITY, f64::min);
                let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                if max <= min {
                    scores.fill(1.0);
                    return scores;
                }
                (min, max - min)
            }
            Self::ZScore => {
                let count = scores.len().max(1) as f64;
                let mean = scores.iter().sum::<f64>() / count;
                let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count;
                if variance <= 0.0 {
                    scores.fill(0.0);
                    return scores;
                }
                (mean, variance.sqrt())
            }
        };
        scores.iter_mut().for_each(|score| *score = (*score - shift) / scale);
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn min_max_scores_are_from_0_to_1() {
        assert_eq!(Normalization::MinMax.apply(vec![6.0, 4.0, 2.0]), [1.0, 0.5, 0.0]);
        assert_eq!(Normalization::MinMax.apply(vec![3.0, 3.0]), [1.0, 1.0]);
    }

    #[test]
    fn z_scores_have_the_mean_0_and_the_standard_deviation_1() {
        // The mean is 4 and the deviations are 2 and −2, so the variance is 4.
        assert_eq!(Normalization::ZScore.apply(vec![6.0, 2.0]), [1.0, -1.0]);
        assert_eq!(Normalization::ZScore.apply(vec![3.0]), [0.0]);
    }
}
