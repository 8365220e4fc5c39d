//! Corrections of p-values for multiple testing.

/// Corrects the p-values of several tests for multiple testing: min(1, p · number of tests) (Bonferroni; Dunn, 1961).
#[must_use]
pub fn bonferroni(ps: &[f64]) -> Vec<f64> {
    ps.iter().map(|p| (p * ps.len() as f64).min(1.0)).collect()
}

/// Corrects p-values by Holm's method (1979): the i-th smallest of m is multiplied by m − i + 1 and raised to the corrected value
/// of the one before it. The family-wise error rate is controlled as by [`bonferroni`], and no corrected value is larger.
#[must_use]
pub fn holm(ps: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|&a, &b| ps[a].total_cmp(&ps[b]));
    let mut corrected = vec![0.0; ps.len()];
    let mut max = 0.0_f64;
    for (rank, &at) in order.iter().enumerate() {
        max = max.max(ps[at] * (ps.len() - rank) as f64).min(1.0);
        corrected[at] = max;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_agree_with_values_worked_out_by_hand() {
        let ps = [0.5, 0.01, 0.015, 0.25];
        assert_eq!(bonferroni(&ps), [1.0, 0.04, 0.06, 1.0]);
        // In ascending order: 4 · 0.01, 3 · 0.015, 2 · 0.25 and 1 · 0.5.
        assert_eq!(holm(&ps), [0.5, 0.04, 0.045, 0.5]);
        // 3 · 0.01; then 2 · 0.012, which is raised to 0.03.
        assert_eq!(holm(&[0.012, 0.01, 0.9]), [0.03, 0.03, 0.9]);
        assert_eq!(holm(&[0.75, 0.6]), [1.0, 1.0]);
        assert!(bonferroni(&[]).is_empty() && holm(&[]).is_empty());
    }
}
