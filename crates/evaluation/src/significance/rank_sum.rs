//! The Wilcoxon–Mann–Whitney rank-sum test of two independent samples.

use statrs::function::erf::{erfc, erfc_inv};

use super::argument;
use crate::error::Error;

/// The result of a rank-sum test of two independent samples a and b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankSum {
    /// U: the number of pairs of a value of a and a value of b in which the value of a is larger. A pair of equal
    /// values counts as one half.
    pub statistic: f64,
    /// U / (|a| · |b|): the probability, from 0 to 1, that a random value of a is larger than a random value of b. It
    /// is one half if the samples do not differ.
    pub probability: f64,
    /// Standard error of `probability` under the hypothesis that the samples do not differ.
    pub standard_error: f64,
    /// The two-sided p-value, by the normal approximation.
    pub p: f64,
}

/// Computes the two-sided rank-sum test of two independent samples (Mann and Whitney, 1947) by the normal
/// approximation.
///
/// Equal values share the mean of their ranks. The variance is corrected for ties, and z for continuity. The results
/// agree with SciPy's `mannwhitneyu(a, b, method="asymptotic")`. If a sample has fewer than about 8 values, p is a
/// rough approximation. If all values are equal, p is 1.
///
/// # Errors
///
/// [`Error::Argument`] if a sample is empty, or if a value is not finite.
pub fn rank_sum_test(a: &[f64], b: &[f64]) -> Result<RankSum, Error> {
    for (name, sample) in [("a", a), ("b", b)] {
        if sample.is_empty() {
            return Err(argument(format!("at least one in {name}"), "none".into()));
        }
        if let Some(value) = sample.iter().find(|value| !value.is_finite()) {
            return Err(argument(format!("finite numbers in {name}"), value.to_string()));
        }
    }
    let mut values: Vec<(f64, bool)> =
        a.iter().map(|&value| (value, true)).chain(b.iter().map(|&value| (value, false))).collect();
    values.sort_by(|x, y| x.0.partial_cmp(&y.0).expect("finite"));
    // `tie_sum` is Σ (t³ − t) over all groups of t equal values. It corrects the variance for ties.
    let (mut rank_sum, mut tie_sum, mut smaller_count) = (0.0, 0.0, 0.0);
    for equal in values.chunk_by(|x, y| x.0 == y.0) {
        let count = equal.len() as f64;
        // The mean of the ranks `smaller_count` + 1 to `smaller_count` + `count`.
        let rank = smaller_count + (count + 1.0) / 2.0;
        rank_sum += rank * equal.iter().filter(|(_, is_a)| *is_a).count() as f64;
        tie_sum += count * (count * count - 1.0);
        smaller_count += count;
    }
    let (a_count, b_count) = (a.len() as f64, b.len() as f64);
    let (total, pairs) = (a_count + b_count, a_count * b_count);
    let statistic = rank_sum - a_count * (a_count + 1.0) / 2.0;
    let variance = pairs / 12.0 * (total + 1.0 - tie_sum / (total * (total - 1.0)));
    let deviation = variance.max(0.0).sqrt();
    let z = ((statistic - pairs / 2.0).abs() - 0.5) / deviation;
    let p = if deviation > 0.0 { erfc(z / std::f64::consts::SQRT_2).min(1.0) } else { 1.0 };
    Ok(RankSum { statistic, probability: statistic / pairs, standard_error: deviation / pairs, p })
}

/// Returns the smallest distance of [`RankSum::probability`] from one half for which a rank-sum test has a p-value of
/// at most `p`. This is how much the samples must differ for the test to find a difference.
///
/// `standard_error` is [`RankSum::standard_error`], and `a_count` and `b_count` are the sizes of the two samples.
///
/// A distance cannot be larger than one half, so a larger result means that no distance is significant.
///
/// # Errors
///
/// [`Error::Argument`] if a sample is empty, if the standard error is negative or not finite, or if `p` is not between
/// 0 and 1.
pub fn smallest_significant_shift(
    standard_error: f64,
    (a_count, b_count): (usize, usize),
    p: f64,
) -> Result<f64, Error> {
    if a_count == 0 || b_count == 0 {
        return Err(argument("at least one in each sample".into(), format!("{a_count} and {b_count}")));
    }
    if !(p > 0.0 && p < 1.0) {
        return Err(argument("a p between 0 and 1".into(), p.to_string()));
    }
    if !(standard_error >= 0.0 && standard_error.is_finite()) {
        return Err(argument("a finite standard error of at least 0".into(), standard_error.to_string()));
    }
    let z = std::f64::consts::SQRT_2 * erfc_inv(p);
    // The continuity correction is half a pair.
    Ok(z * standard_error + 0.5 / (a_count as f64 * b_count as f64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance * expected.abs(), "expected {expected}, got {value}");
    }

    #[test]
    fn a_case_with_ties_agrees_with_a_calculation_by_hand() {
        // The values 1, 2, 2, 2, 3 and 4 have the ranks 1, 3, 3, 3, 5 and 6. The ranks of a = {2, 3, 4} add up to 3 + 5
        // + 6 = 14, so U = 14 − 3 · 4 / 2 = 8.
        let found = rank_sum_test(&[3.0, 2.0, 4.0], &[2.0, 1.0, 2.0]).expect("valid samples");
        assert_eq!((found.statistic, found.probability), (8.0, 8.0 / 9.0));
        // Three values are equal, so the variance is 9/12 · (7 − (27 − 3)/(6 · 5)) = 4.65. z = (8 − 4.5 − 0.5)/√4.65.
        assert_near(found.standard_error, 4.65f64.sqrt() / 9.0, 1e-15);
        assert_near(found.p, erfc(3.0 / 4.65f64.sqrt() / 2f64.sqrt()), 1e-15);
    }

    #[test]
    fn results_agree_with_scipy() {
        // SciPy 1.17.1, mannwhitneyu(a, b, method="asymptotic"); the first case is the example in SciPy's docs.
        let result =
            rank_sum_test(&[19.0, 22.0, 16.0, 29.0, 24.0], &[20.0, 11.0, 17.0, 12.0]).expect("valid samples");
        assert_eq!(result.statistic, 17.0);
        assert_near(result.p, 0.111_346_886_533_140_41, 1e-9);
        for (a_count, b_count, shift, statistic, p) in [
            (12, 10, 3, 77.0, 0.275_245_382_675_620_26),
            (50, 30, 2, 883.5, 0.184_731_322_761_864_77),
            (400, 25, 5, 7871.0, 1.322_018_408_342_685_7e-6),
            (2000, 300, 1, 300_954.0, 0.928_889_270_110_698),
            (1700, 97, 20, 164_900.0, 3.259_047_153_225_089e-62),
        ] {
            let a: Vec<f64> = (0..a_count).map(|i| f64::from(7 * i % 11 + shift)).collect();
            let b: Vec<f64> = (0..b_count).map(|i| f64::from(3 * i % 13)).collect();
            let result = rank_sum_test(&a, &b).expect("valid samples");
            assert_eq!(result.statistic, statistic);
            assert_near(result.p, p, 1e-9);
        }
    }

    #[test]
    fn p_is_1_for_samples_that_do_not_differ() {
        let found = rank_sum_test(&[2.0, 2.0], &[2.0, 2.0, 2.0]).expect("valid samples");
        assert_eq!((found.probability, found.standard_error, found.p), (0.5, 0.0, 1.0));
        assert_eq!(rank_sum_test(&[1.0, 4.0], &[2.0, 3.0]).expect("valid samples").p, 1.0);
    }

    #[test]
    fn empty_samples_and_nan_are_refused() {
        let refused = |a: &[f64], b: &[f64]| rank_sum_test(a, b).expect_err("refused").to_string();
        assert_eq!(refused(&[], &[1.0]), "values to compare: expected at least one in a, got none");
        assert_eq!(refused(&[1.0], &[f64::NAN]), "values to compare: expected finite numbers in b, got NaN");
    }

    #[test]
    fn the_smallest_significant_shift_has_the_requested_p_value() {
        // 0.1 · z, with z for p = 0.05 and p = 0.01 from tables of the normal distribution, plus the continuity
        // correction: half a pair of 10 · 20 = 200 pairs.
        assert_near(
            smallest_significant_shift(0.1, (10, 20), 0.05).expect("valid samples"),
            0.195_996_398_454_005_4 + 0.0025,
            1e-9,
        );
        assert_near(
            smallest_significant_shift(0.1, (10, 20), 0.01).expect("valid samples"),
            0.257_582_930_354_890_1 + 0.0025,
            1e-9,
        );
        for (error, sizes, p) in
            [(-1.0, (5, 5), 0.1), (0.1, (0, 5), 0.1), (0.1, (5, 5), 1.0), (f64::NAN, (5, 5), 0.1)]
        {
            assert!(smallest_significant_shift(error, sizes, p).is_err());
        }
    }

    proptest! {
        #[test]
        fn u_counts_the_pairs_in_which_a_is_larger_and_swapping_the_samples_keeps_p(
            a in prop::collection::vec(0u8..20, 1..30),
            b in prop::collection::vec(0u8..20, 1..30),
        ) {
            let [a, b] = [a, b].map(|values| values.into_iter().map(f64::from).collect::<Vec<_>>());
            let pair = |x: f64, y: f64| if x > y { 1.0 } else if x == y { 0.5 } else { 0.0 };
            let pair_count: f64 = a.iter().flat_map(|&x| b.iter().map(move |&y| pair(x, y))).sum();
            let forward = rank_sum_test(&a, &b).expect("valid samples");
            let backward = rank_sum_test(&b, &a).expect("valid samples");
            prop_assert_eq!(forward.statistic, pair_count);
            prop_assert_eq!(forward.p, backward.p);
            prop_assert!((forward.probability + backward.probability - 1.0).abs() < 1e-12);
            prop_assert!((0.0..=1.0).contains(&forward.p));
        }
    }
}
