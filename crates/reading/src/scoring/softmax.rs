//! The softmax of a list of values.

/// Returns exp(x) / Σ exp(y) for each value x, where the sum is over all values y. The maximum is subtracted first, so
/// that no exponential overflows if the values are finite.
pub(crate) fn softmax(values: &[f64]) -> Vec<f64> {
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut probabilities: Vec<f64> = values.iter().map(|value| (value - max).exp()).collect();
    let sum: f64 = probabilities.iter().sum();
    probabilities.iter_mut().for_each(|probability| *probability /= sum);
    probabilities
}

#[cfg(test)]
mod tests {
    use super::softmax;

    #[test]
    fn large_values_do_not_overflow() {
        assert_eq!(softmax(&[1000.0, 1000.0]), [0.5, 0.5]);
        let probabilities = softmax(&[0.0, 3f64.ln()]);
        assert!((probabilities[0] - 0.25).abs() < 1e-15 && (probabilities[1] - 0.75).abs() < 1e-15);
        assert!(softmax(&[]).is_empty());
    }
}
