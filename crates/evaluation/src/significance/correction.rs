/// p of each of several tests, corrected for there being several: min(1, p · tests) (Bonferroni; Dunn, 1961).
#[must_use]
pub fn bonferroni(ps: &[f64]) -> Vec<f64> {
    ps.iter().map(|p| (p * ps.len() as f64).min(1.0)).collect()
}

/// As [`bonferroni`], but the i-th smallest of m counts m − i + 1 tests, and none is below a smaller one's (Holm, 1979):
/// as safe, and never larger.
#[must_use]
pub fn holm(ps: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|&a, &b| ps[a].total_cmp(&ps[b]));
    let mut corrected = vec![0.0; ps.len()];
    let mut least = 0.0_f64;
    for (rank, &at) in order.iter().enumerate() {
        least = least.max(ps[at] * (ps.len() - rank) as f64).min(1.0);
        corrected[at] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_worked_by_hand() {
        let ps = [0.5, 0.01, 0.015, 0.25];
        assert_eq!(bonferroni(&ps), [1.0, 0.04, 0.06, 1.0]);
        // Sorted: 4 · 0.01, 3 · 0.015, 2 · 0.25, and 1 · 0.5.
        assert_eq!(holm(&ps), [0.5, 0.04, 0.045, 0.5]);
        // 3 · 0.01, then 2 · 0.012 is raised to that.
        assert_eq!(holm(&[0.012, 0.01, 0.9]), [0.03, 0.03, 0.9]);
        assert_eq!(holm(&[0.75, 0.6]), [1.0, 1.0]);
        assert!(bonferroni(&[]).is_empty() && holm(&[]).is_empty());
    }
}
