/// exp(max / T) / Σ exp(score / T), from 1 / scores to 1: how much of a softmax over the best scores the best has (Yang et
/// al., 2023, §3.2). 0 without scores.
///
/// It is computed as 1 / Σ exp((score − max) / T), whose exponents are never above 0: no temperature overflows, however
/// small it is, and what underflows is nothing beside 1.
#[must_use]
pub fn confidence(scores: &[f32], temperature: f64) -> f64 {
    let Some(max) = greatest(scores) else { return 0.0 };
    1.0 / scores.iter().map(|&score| weight(score, max, temperature)).sum::<f64>()
}

/// The [`confidence`] and its derivative by the temperature, which is never above 0: C² · Σ w · (score − max) / T², where w
/// is exp((score − max) / T).
#[must_use]
pub fn confidence_gradient(scores: &[f32], temperature: f64) -> (f64, f64) {
    let Some(max) = greatest(scores) else { return (0.0, 0.0) };
    let (mut sum, mut slope) = (0.0, 0.0);
    for &score in scores {
        let weight = weight(score, max, temperature);
        sum += weight;
        // Behind a weight that underflowed the quotient may have overflowed.
        if weight > 0.0 {
            slope += weight * ((f64::from(score) - max) / temperature);
        }
    }
    let confidence = 1.0 / sum;
    (confidence, confidence * confidence * slope / temperature)
}

fn greatest(scores: &[f32]) -> Option<f64> {
    scores.iter().copied().reduce(f32::max).map(f64::from)
}

fn weight(score: f32, max: f64, temperature: f64) -> f64 {
    let behind = f64::from(score) - max;
    // 0 / T is 0 for every T; the best always weighs 1.
    if behind == 0.0 { 1.0 } else { (behind / temperature).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // softmax(ln 6, ln 3, ln 1) = 6 / 10 at T = 1; at T = 1/2 the weights are squared: 36 / 46.
        let scores = [6f32.ln(), 3f32.ln(), 0.0];
        assert!((confidence(&scores, 1.0) - 0.6).abs() < 1e-7);
        assert!((confidence(&scores, 0.5) - 36.0 / 46.0).abs() < 1e-7);
        assert_eq!(confidence(&[], 1.0), 0.0);
        assert_eq!(confidence(&[-3.0], 1.0), 1.0);
        // Two best share.
        assert_eq!(confidence(&[5.0, 5.0, 1.0], 1e-9), 0.5);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_temperature_makes_it_leave_its_range(
            scores in prop::collection::vec(-1e30f32..1e30, 1..40), exponent in -300i32..300
        ) {
            let temperature = 10f64.powi(exponent);
            let (value, slope) = confidence_gradient(&scores, temperature);
            prop_assert_eq!(value, confidence(&scores, temperature));
            prop_assert!((1.0 / scores.len() as f64 - 1e-12..=1.0).contains(&value));
            prop_assert!(slope <= 0.0 && slope.is_finite(), "{}", slope);
        }

        #[test]
        fn the_derivative_is_the_numerical_one(
            scores in prop::collection::vec(-20f32..20.0, 1..30), temperature in 0.3f64..30.0
        ) {
            let (_, slope) = confidence_gradient(&scores, temperature);
            let step = temperature * 1e-5;
            let numerical =
                (confidence(&scores, temperature + step) - confidence(&scores, temperature - step)) / (2.0 * step);
            prop_assert!((slope - numerical).abs() <= 1e-7 + 1e-6 * slope.abs(), "{} and {}", slope, numerical);
        }
    }
}
