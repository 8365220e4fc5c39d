use crate::{Linear, Method, Missing};

/// How the scores of a list are made comparable with another list's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Normalisation {
    /// Left as they are.
    #[default]
    None,
    /// (score − min) / (max − min), in [0, 1]; 1 where all are equal.
    MinMax,
    /// (score − mean) / standard deviation of the list; 0 where all are equal.
    ZScore,
}

impl Method {
    /// α · first + (1 − α) · second after normalisation. A missing score is 0; under [`Normalisation::ZScore`],
    /// where 0 would be the mean, it is the list's lowest.
    #[must_use]
    pub fn interpolate(alpha: f64, normalisation: Normalisation) -> Self {
        let missing = if normalisation == Normalisation::ZScore { Missing::Minimum } else { Missing::Zero };
        Self::Linear(Linear { weights: vec![alpha, 1.0 - alpha], normalisation, missing })
    }
}

impl Normalisation {
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
    use crate::fuse;
    use ranking::Hit;

    #[test]
    fn min_max_spans_zero_to_one() {
        assert_eq!(Normalisation::MinMax.apply(vec![6.0, 4.0, 2.0]), [1.0, 0.5, 0.0]);
        assert_eq!(Normalisation::MinMax.apply(vec![3.0, 3.0]), [1.0, 1.0]);
    }

    #[test]
    fn z_scores_have_mean_zero_and_unit_deviation() {
        // mean 4, deviations 2, −2: variance 4.
        assert_eq!(Normalisation::ZScore.apply(vec![6.0, 2.0]), [1.0, -1.0]);
        assert_eq!(Normalisation::ZScore.apply(vec![3.0]), [0.0]);
    }

    #[test]
    fn interpolation_shares_out_one_weight() {
        let (first, second) =
            ([Hit { ord: 1, score: 9.0 }, Hit { ord: 2, score: 1.0 }], [Hit { ord: 2, score: 3.0 }]);
        let fused =
            fuse(&[&first, &second], &Method::interpolate(0.25, Normalisation::MinMax), 10).expect("fuses");
        // 2: 0.25 · 0 + 0.75 · 1; 1: 0.25 · 1 + 0.75 · 0
        assert_eq!(fused, [Hit { ord: 2, score: 0.75 }, Hit { ord: 1, score: 0.25 }]);
    }
}
