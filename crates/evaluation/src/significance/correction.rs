//! Corrections of p-values for multiple testing.

/// Corrects the p-values of several tests by Bonferroni's method (Dunn, 1961): multiplies each by the number of tests
/// and caps the product at 1.
///
/// If tests with corrected p-values up to α count as significant, then the probability of any false positive, which is
/// called the family-wise error rate, is at most α.
#[must_use]
pub fn bonferroni(ps: &[f64]) -> Vec<f64> {
    ps.iter().map(|p| (p * ps.len() as f64).min(1.0)).collect()
}

/// Corrects the p-values of several tests by Holm's method (Holm, 1979).
///
/// Goes through the m p-values in ascending order, multiplies the i-th by m − i + 1 and caps the product at 1. A
/// corrected p-value that would be lower than the previous one becomes equal to it. The family-wise error rate has the
/// same bound as in [`bonferroni`], but the corrected p-values are never higher than Bonferroni's, and usually lower.
#[must_use]
pub fn holm(ps: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|&a, &b| ps[a].total_cmp(&ps[b]));
    let mut corrected = vec![0.0; ps.len()];
    let mut max = 0.0_f64;
    for (smaller_count, &test) in order.iter().enumerate() {
        max = max.max(ps[test] * (ps.len() - smaller_count) as f64).min(1.0);
        corrected[test] = max;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrected_values_agree_with_a_calculation_by_hand() {
        let ps = [0.5, 0.01, 0.015, 0.25];
        assert_eq!(bonferroni(&ps), [1.0, 0.04, 0.06, 1.0]);
        // In ascending order of p: 4 · 0.01, 3 · 0.015, 2 · 0.25 and 1 · 0.5.
        assert_eq!(holm(&ps), [0.5, 0.04, 0.045, 0.5]);
        // First 3 · 0.01 = 0.03. Then 2 · 0.012 = 0.024, which is raised to 0.03.
        assert_eq!(holm(&[0.012, 0.01, 0.9]), [0.03, 0.03, 0.9]);
        assert_eq!(holm(&[0.75, 0.6]), [1.0, 1.0]);
        assert!(bonferroni(&[]).is_empty() && holm(&[]).is_empty());
    }
}
