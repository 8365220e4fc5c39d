//! The confidence of a model in its best passage for a question, computed from the model's scores for this question.

/// Returns the confidence of a model at temperature T: the softmax of its highest score, exp(max / T) / Σ exp(score /
/// T) (Yang et al., 2023, §3.2). With n scores, it is between 1 / n and 1; without scores, it is 0. Scores of −∞ are
/// ignored.
///
/// It is computed as 1 / Σ exp((score − max) / T). No exponent is above 0, so nothing overflows even at the lowest
/// temperatures, and terms that underflow are negligible.
#[must_use]
pub fn confidence(scores: &[f32], temperature: f64) -> f64 {
    let Some(max) = highest(scores) else { return 0.0 };
    1.0 / scores.iter().map(|&score| weight(score, max, temperature)).sum::<f64>()
}

/// Returns the [`confidence`] C, and its derivative with respect to the temperature T: C² · Σ w · (score − max) / T²,
/// where w is exp((score − max) / T). The derivative is never above 0.
#[must_use]
pub fn confidence_gradient(scores: &[f32], temperature: f64) -> (f64, f64) {
    let Some(max) = highest(scores) else { return (0.0, 0.0) };
    let (mut sum, mut slope) = (0.0, 0.0);
    for &score in scores {
        let weight = weight(score, max, temperature);
        sum += weight;
        // If the weight underflowed, the exponent may have overflowed, and 0 · ∞ is NaN.
        if weight > 0.0 {
            slope += weight * exponent(score, max, temperature);
        }
    }
    let confidence = 1.0 / sum;
    (confidence, confidence * confidence * slope / temperature)
}

/// Returns the log-odds against a model: ln((1 − C) / C) for the [`confidence`] C. They are computed as ln Σ exp((score
/// − max) / T) over all scores except the highest one. They are −∞ for a single score, and ∞ without scores.
///
/// The log-odds fall as the confidence rises. They distinguish even confidences that round to 1: at a low temperature,
/// every model whose best score is far above its second-best score has a confidence of 1, but the log-odds still tell
/// for which model the difference is the largest.
#[must_use]
pub fn log_odds_against(scores: &[f32], temperature: f64) -> f64 {
    let Some(max) = highest(scores) else { return f64::INFINITY };
    let best = scores.iter().position(|&score| f64::from(score) == max);
    let others = || {
        let others = scores.iter().enumerate().filter(|&(index, _)| Some(index) != best);
        others.map(|(_, &score)| exponent(score, max, temperature))
    };
    let next = others().fold(f64::NEG_INFINITY, f64::max);
    if next == f64::NEG_INFINITY {
        return next;
    }
    next + others().map(|exponent| (exponent - next).exp()).sum::<f64>().ln()
}

/// Returns the highest score; `None` if there are no scores, or if all are −∞.
fn highest(scores: &[f32]) -> Option<f64> {
    scores.iter().copied().reduce(f32::max).filter(|&max| max > f32::NEG_INFINITY).map(f64::from)
}

/// Returns the weight of a score in the softmax, relative to the weight of the highest score, which is 1.
fn weight(score: f32, max: f64, temperature: f64) -> f64 {
    exponent(score, max, temperature).exp()
}

/// Returns the logarithm of the weight. It is 0 for the highest score at any temperature.
fn exponent(score: f32, max: f64, temperature: f64) -> f64 {
    (f64::from(score) - max) / temperature
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn confidences_agree_with_a_calculation_by_hand() {
        // At T = 1, the softmax of ln 6 among ln 6, ln 3 and ln 1 is 6 / 10. At T = 1/2, the weights are squared, so it
        // is 36 / 46.
        let scores = [6f32.ln(), 3f32.ln(), 0.0];
        assert!((confidence(&scores, 1.0) - 0.6).abs() < 1e-7);
        assert!((confidence(&scores, 0.5) - 36.0 / 46.0).abs() < 1e-7);
        assert_eq!(confidence(&[], 1.0), 0.0);
        assert_eq!(confidence(&[-3.0], 1.0), 1.0);
        // Two equal highest scores have one half each.
        assert_eq!(confidence(&[5.0, 5.0, 1.0], 1e-9), 0.5);
        // A missing score (−∞) has no weight.
        let none = f32::NEG_INFINITY;
        assert_eq!(confidence(&[none, none], 1.0), 0.0);
        assert_eq!(confidence(&[2.0, 1.0, none], 1.0), confidence(&[2.0, 1.0], 1.0));
        assert_eq!(confidence_gradient(&[none], 1.0), (0.0, 0.0));
        assert_eq!(confidence_gradient(&[2.0, 1.0, none], 1.0), confidence_gradient(&[2.0, 1.0], 1.0));
    }

    #[test]
    fn log_odds_distinguish_confidences_that_both_round_to_1() {
        // (1 − 0.6) / 0.6.
        assert!((log_odds_against(&[6f32.ln(), 3f32.ln(), 0.0], 1.0) - (2.0 / 3.0f64).ln()).abs() < 1e-7);
        let (near, far) = ([2.0, 1.5, 1.0], [2.0, 1.25, 1.0]);
        assert_eq!((confidence(&near, 0.01), confidence(&far, 0.01)), (1.0, 1.0));
        assert!(log_odds_against(&far, 0.01) < log_odds_against(&near, 0.01));
        // −0.5 / 10⁻⁵. The score 1.0 adds less than the precision of an f64.
        assert!((log_odds_against(&near, 1e-5) + 5e4).abs() < 1e-6);
        assert_eq!(log_odds_against(&[3.0], 1.0), f64::NEG_INFINITY);
        assert_eq!(log_odds_against(&[f32::NEG_INFINITY, 3.0], 1.0), f64::NEG_INFINITY);
        assert_eq!(log_odds_against(&[], 1.0), f64::INFINITY);
        assert_eq!(log_odds_against(&[f32::NEG_INFINITY], 1.0), f64::INFINITY);
        // If two scores are the highest, one of them counts among the other scores.
        assert_eq!(log_odds_against(&[5.0, 5.0], 1e-300), 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn confidences_stay_in_their_range_at_every_temperature(
            scores in prop::collection::vec(-1e30f32..1e30, 1..40),
            exponent in -300i32..300,
        ) {
            let temperature = 10f64.powi(exponent);
            let (value, slope) = confidence_gradient(&scores, temperature);
            prop_assert_eq!(value, confidence(&scores, temperature));
            prop_assert!((1.0 / scores.len() as f64 - 1e-12..=1.0).contains(&value));
            prop_assert!(slope <= 0.0 && slope.is_finite(), "{}", slope);
            let odds = log_odds_against(&scores, temperature);
            prop_assert!(!odds.is_nan());
            prop_assert!((value - 1.0 / (1.0 + odds.exp())).abs() <= 1e-12 * value, "{} and {}", value, odds);
        }

        #[test]
        fn the_derivative_agrees_with_the_numerical_derivative(
            scores in prop::collection::vec(-20f32..20.0, 1..30),
            temperature in 0.3f64..30.0,
        ) {
            let (_, slope) = confidence_gradient(&scores, temperature);
            let step = temperature * 1e-5;
            let (low, high) = (temperature - step, temperature + step);
            let numerical = (confidence(&scores, high) - confidence(&scores, low)) / (2.0 * step);
            let tolerance = 1e-7 + 1e-6 * slope.abs();
            prop_assert!((slope - numerical).abs() <= tolerance, "{} and {}", slope, numerical);
        }
    }
}
