/// exp(x) / Σ exp(x), safe for any finite values; of no values, none.
pub(crate) fn softmax(values: &[f64]) -> Vec<f64> {
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut shares: Vec<f64> = values.iter().map(|value| (value - max).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

#[cfg(test)]
mod tests {
    use super::softmax;

    #[test]
    fn shares_add_up_also_of_large_values() {
        assert_eq!(softmax(&[1000.0, 1000.0]), [0.5, 0.5]);
        let shares = softmax(&[0.0, 3f64.ln()]);
        assert!((shares[0] - 0.25).abs() < 1e-15 && (shares[1] - 0.75).abs() < 1e-15, "{shares:?}");
        assert!(softmax(&[]).is_empty());
    }
}
