//! A model's confidence in one question as a function of u = ln T.

use super::root::increasing_root;

/// Terms below e⁻⁶⁰ times the largest one do not change a sum of 64-bit numbers.
const NEGLIGIBLE: f64 = 60.0;

/// The log-odds ln((1 − C) / C) against a model's confidence C, and their derivative with respect to u = ln T.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Odds {
    pub against: f64,
    pub slope: f64,
}

impl Odds {
    /// The confidence C, and dC/du.
    pub fn confidence(self) -> (f64, f64) {
        let confidence = 1.0 / (1.0 + self.against.exp());
        (confidence, -confidence / (1.0 + (-self.against).exp()) * self.slope)
    }
}

/// The differences between the best score of a question and the model's other scores, in ascending order; at least one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    gaps: Vec<f64>,
}

impl Curve {
    /// Returns `None` for fewer than two finite scores: the confidence then does not depend on the temperature.
    pub fn new(scores: &[f32]) -> Option<Self> {
        let mut scores: Vec<f64> =
            scores.iter().filter(|score| score.is_finite()).map(|&score| score.into()).collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        let (&best, others) = scores.split_first()?;
        let gaps: Vec<f64> = others.iter().map(|score| best - score).collect();
        (!gaps.is_empty()).then_some(Self { gaps })
    }

    /// The log-odds ln Σ exp(−gap / T) at u, and their derivative with respect to u, which is Σ w · gap / T with the softmax
    /// weights w of the gaps. The derivative is never below 0.
    pub fn at(&self, u: f64) -> Odds {
        let rate = (-u).exp();
        let first = self.gaps[0] * rate;
        let (mut sum, mut weighted) = (0.0, 0.0);
        for gap in &self.gaps {
            let behind = gap * rate;
            if behind - first > NEGLIGIBLE {
                break;
            }
            let weight = (first - behind).exp();
            sum += weight;
            weighted += weight * behind;
        }
        Odds { against: sum.ln() - first, slope: weighted / sum }
    }

    /// The u between `low` and `high` at which the confidence falls to `confidence`. The caller guarantees that it exists.
    pub fn falls_to(&self, confidence: f64, low: f64, high: f64) -> f64 {
        let target = ((1.0 - confidence) / confidence).ln();
        let above = |u: f64| {
            let Odds { against, slope } = self.at(u);
            (against - target, slope)
        };
        increasing_root(low, high, above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{confidence_gradient, log_odds_against};

    #[test]
    fn it_agrees_with_the_confidence_of_the_definition() {
        let scores = [3.0, 9.5, 9.0, f32::NEG_INFINITY, 4.0, 9.25];
        let curve = Curve::new(&scores).expect("five scores");
        for temperature in [1e-3f64, 0.02, 0.3, 1.0, 40.0, 1e5] {
            let odds = curve.at(temperature.ln());
            let expected = log_odds_against(&scores, temperature);
            assert!((odds.against - expected).abs() < 1e-9 * expected.abs().max(1.0));
            let (confidence, slope) = odds.confidence();
            let (expected, by_temperature) = confidence_gradient(&scores, temperature);
            assert!((confidence - expected).abs() < 1e-12);
            assert!((slope - by_temperature * temperature).abs() < 1e-9);
        }
        assert_eq!(Curve::new(&[1.0, f32::NEG_INFINITY]), None);
    }

    #[test]
    fn falls_to_returns_the_temperature_of_a_confidence() {
        let curve = Curve::new(&[1.0, 0.0]).expect("two scores");
        // 1 / (1 + exp(−1 / T)) is .8 at T = 1 / ln 4.
        let u = curve.falls_to(0.8, -8.0, 8.0);
        assert!((u.exp() - 1.0 / 4f64.ln()).abs() < 1e-12);
    }
}
