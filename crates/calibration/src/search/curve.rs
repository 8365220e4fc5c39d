//! The confidence of a model for one question as a function of u = ln T, where T is the temperature.

use super::root::increasing_root;

/// Terms below e⁻⁶⁰ times the largest term are skipped, because they do not change a sum of 64-bit floating-point
/// numbers.
const NEGLIGIBLE_EXPONENT: f64 = 60.0;

/// The log-odds against a model, ln((1 − C) / C) for its confidence C, and their derivative with respect to u. The
/// lower the log-odds, the more confident the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LogOdds {
    pub value: f64,
    /// The derivative with respect to u.
    pub slope: f64,
}

impl LogOdds {
    /// Returns the confidence C and its derivative dC/du.
    pub fn confidence(self) -> (f64, f64) {
        let confidence = 1.0 / (1.0 + self.value.exp());
        (confidence, -confidence / (1.0 + (-self.value).exp()) * self.slope)
    }
}

/// The log-odds against a model for one question, at any temperature.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    /// The differences between the model's best score and each of its other scores, in ascending order; at least one.
    gaps: Vec<f64>,
}

impl Curve {
    /// Returns the curve for these scores. Returns `None` if fewer than two of them are finite: the confidence then
    /// does not depend on the temperature.
    pub fn new(scores: &[f32]) -> Option<Self> {
        let mut scores: Vec<f64> =
            scores.iter().filter(|score| score.is_finite()).map(|&score| score.into()).collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        let (&best, others) = scores.split_first()?;
        let gaps: Vec<f64> = others.iter().map(|score| best - score).collect();
        (!gaps.is_empty()).then_some(Self { gaps })
    }

    /// Returns the log-odds ln Σ exp(−gap / T) at u, and their derivative with respect to u, which is Σ w · gap / T
    /// with the weights w = softmax(−gap / T). The derivative is never below 0.
    pub fn at(&self, u: f64) -> LogOdds {
        let inverse_temperature = (-u).exp();
        let min = self.gaps[0] * inverse_temperature;
        let (mut sum, mut weighted_sum) = (0.0, 0.0);
        for gap in &self.gaps {
            let scaled_gap = gap * inverse_temperature;
            if scaled_gap - min > NEGLIGIBLE_EXPONENT {
                break;
            }
            let weight = (min - scaled_gap).exp();
            sum += weight;
            weighted_sum += weight * scaled_gap;
        }
        LogOdds { value: sum.ln() - min, slope: weighted_sum / sum }
    }

    /// Returns the u between `low` and `high` at which the confidence is `confidence`. Such a u must exist.
    pub fn find_confidence(&self, confidence: f64, low: f64, high: f64) -> f64 {
        let target = ((1.0 - confidence) / confidence).ln();
        let difference = |u: f64| {
            let LogOdds { value, slope } = self.at(u);
            (value - target, slope)
        };
        increasing_root(low, high, difference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{confidence_gradient, log_odds_against};

    #[test]
    fn a_curve_agrees_with_the_definition_of_confidence() {
        let scores = [3.0, 9.5, 9.0, f32::NEG_INFINITY, 4.0, 9.25];
        let curve = Curve::new(&scores).expect("five scores");
        for temperature in [1e-3f64, 0.02, 0.3, 1.0, 40.0, 1e5] {
            let log_odds = curve.at(temperature.ln());
            let expected = log_odds_against(&scores, temperature);
            assert!((log_odds.value - expected).abs() < 1e-9 * expected.abs().max(1.0));
            let (confidence, slope) = log_odds.confidence();
            let (expected, by_temperature) = confidence_gradient(&scores, temperature);
            assert!((confidence - expected).abs() < 1e-12);
            assert!((slope - by_temperature * temperature).abs() < 1e-9);
        }
        assert_eq!(Curve::new(&[1.0, f32::NEG_INFINITY]), None);
    }

    #[test]
    fn the_temperature_of_a_confidence_is_found() {
        let curve = Curve::new(&[1.0, 0.0]).expect("two scores");
        // 1 / (1 + exp(−1 / T)) is 0.8 at T = 1 / ln 4.
        let u = curve.find_confidence(0.8, -8.0, 8.0);
        assert!((u.exp() - 1.0 / 4f64.ln()).abs() < 1e-12);
    }
}
