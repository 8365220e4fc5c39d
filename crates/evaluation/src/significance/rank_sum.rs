//! The Wilcoxon–Mann–Whitney rank-sum test.

use statrs::function::erf::{erfc, erfc_inv};

use super::argument;
use crate::error::Error;

/// The result of a rank-sum test of two independent samples a and b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankSum {
    /// U of a: the number of pairs of a value of a and one of b in which that of a is larger. Equal values count one half.
    pub statistic: f64,
    /// U / (|a| · |b|): the probability that a value of a is larger than one of b, 0 to 1. It is one
    /// half if the samples do not differ.
    pub probability: f64,
    /// Standard error of `probability` if the samples do not differ.
    pub standard_error: f64,
    /// The two-sided p-value, by the normal approximation.
    pub p: f64,
}

/// The Wilcoxon–Mann–Whitney rank-sum test of two independent samples (Mann and Whitney, 1947), two-sided, by the normal approximation
/// with mid-ranks, the correction of the variance for ties, and continuity correction. It agrees with SciPy's
/// `mannwhitneyu(a, b, method="asymptotic")`. With fewer than about 8 values on a side it is a rough approximation. If all
/// values are equal, p is 1.
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
    let (mut rank_sum, mut ties, mut before) = (0.0, 0.0, 0.0);
    for equal in values.chunk_by(|x, y| x.0 == y.0) {
        let count = equal.len() as f64;
        // Ranks begin at 1; equal values share the mean of theirs.
        let rank = before + (count + 1.0) / 2.0;
        rank_sum += rank * equal.iter().filter(|(_, is_a)| *is_a).count() as f64;
        ties += count * (count * count - 1.0);
        before += count;
    }
    let (of_a, of_b) = (a.len() as f64, b.len() as f64);
    let (all, pairs) = (of_a + of_b, of_a * of_b);
    let statistic = rank_sum - of_a * (of_a + 1.0) / 2.0;
    let variance = pairs / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    let deviation = variance.max(0.0).sqrt();
    let z = ((statistic - pairs / 2.0).abs() - 0.5) / deviation;
    let p = if deviation > 0.0 { erfc(z / std::f64::consts::SQRT_2).min(1.0) } else { 1.0 };
    Ok(RankSum { statistic, probability: statistic / pairs, standard_error: deviation / pairs, p })
}

/// The smallest distance of [`RankSum::probability`] from one half that a rank-sum test of samples of these sizes would report with a
/// p-value of at most `p`. It tells how large a shift must be for the test to find it. The distance is at most one half, so a larger
/// answer means that no distance would have been significant.
///
/// # Errors
///
/// [`Error::Argument`] for an empty sample, a standard error that is negative or not finite, or a `p` that is not between 0 and 1.
pub fn smallest_significant_shift(
    standard_error: f64,
    (of_a, of_b): (usize, usize),
    p: f64,
) -> Result<f64, Error> {
    if of_a == 0 || of_b == 0 {
        return Err(argument("at least one in each sample".into(), format!("{of_a} and {of_b}")));
    }
    if !(p > 0.0 && p < 1.0) {
        return Err(argument("a p between 0 and 1".into(), p.to_string()));
    }
    if !(standard_error >= 0.0 && standard_error.is_finite()) {
        return Err(argument("a finite standard error of at least 0".into(), standard_error.to_string()));
    }
    let z = std::f64::consts::SQRT_2 * erfc_inv(p);
    // The continuity correction is half a pair.
    Ok(z * standard_error + 0.5 / (of_a as f64 * of_b as f64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(value: f64, expected: f64, off: f64) {
        assert!((value - expected).abs() <= off * expected.abs(), "{value} for {expected}");
    }

    #[test]
    fn a_case_with_ties_agrees_with_values_worked_out_by_hand() {
        // The values 1 2 2 2 3 4 have the mid-ranks 1, 3, 3, 3, 5, 6. The ranks of a = {2, 3, 4} add up to 3 + 5 + 6 = 14, so
        // U = 14 − 6 = 8.
        let found = rank_sum_test(&[3.0, 2.0, 4.0], &[2.0, 1.0, 2.0]).expect("found");
        assert_eq!((found.statistic, found.probability), (8.0, 8.0 / 9.0));
        // Three equal values: variance 9/12 · (7 − (27 − 3)/(6 · 5)) = 4.65; z = (8 − 4.5 − 0.5)/√4.65.
        near(found.standard_error, 4.65f64.sqrt() / 9.0, 1e-15);
        near(found.p, erfc(3.0 / 4.65f64.sqrt() / 2f64.sqrt()), 1e-15);
    }

    #[test]
    fn it_agrees_with_scipy() {
        // SciPy 1.17.1, mannwhitneyu(a, b, method="asymptotic"); the first case is the example of its documentation.
        let result =
            rank_sum_test(&[19.0, 22.0, 16.0, 29.0, 24.0], &[20.0, 11.0, 17.0, 12.0]).expect("found");
        assert_eq!(result.statistic, 17.0);
        near(result.p, 0.111_346_886_533_140_41, 1e-9);
        for (of_a, of_b, shift, statistic, p) in [
            (12, 10, 3, 77.0, 0.275_245_382_675_620_26),
            (50, 30, 2, 883.5, 0.184_731_322_761_864_77),
            (400, 25, 5, 7871.0, 1.322_018_408_342_685_7e-6),
            (2000, 300, 1, 300_954.0, 0.928_889_270_110_698),
            (1700, 97, 20, 164_900.0, 3.259_047_153_225_089e-62),
        ] {
            let a: Vec<f64> = (0..of_a).map(|i| f64::from(7 * i % 11 + shift)).collect();
            let b: Vec<f64> = (0..of_b).map(|i| f64::from(3 * i % 13)).collect();
            let result = rank_sum_test(&a, &b).expect("found");
            assert_eq!(result.statistic, statistic);
            near(result.p, p, 1e-9);
        }
    }

    #[test]
    fn p_is_1_for_samples_that_do_not_differ() {
        let found = rank_sum_test(&[2.0, 2.0], &[2.0, 2.0, 2.0]).expect("found");
        assert_eq!((found.probability, found.standard_error, found.p), (0.5, 0.0, 1.0));
        assert_eq!(rank_sum_test(&[1.0, 4.0], &[2.0, 3.0]).expect("found").p, 1.0);
    }

    #[test]
    fn empty_samples_and_nan_are_refused() {
        let refused = |a: &[f64], b: &[f64]| rank_sum_test(a, b).expect_err("refused").to_string();
        assert_eq!(refused(&[], &[1.0]), "values to compare: expected at least one in a, got none");
        assert_eq!(refused(&[1.0], &[f64::NAN]), "values to compare: expected finite numbers in b, got NaN");
    }

    #[test]
    fn the_smallest_significant_shift_has_the_p_value_asked_for() {
        // z for p = 0.05 and p = 0.01, from tables of the normal distribution.
        near(
            smallest_significant_shift(0.1, (10, 20), 0.05).expect("found"),
            0.195_996_398_454_005_4 + 0.0025,
            1e-9,
        );
        near(
            smallest_significant_shift(0.1, (10, 20), 0.01).expect("found"),
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
        fn u_counts_pairs_and_swapping_the_samples_keeps_p(
            a in prop::collection::vec(0u8..20, 1..30),
            b in prop::collection::vec(0u8..20, 1..30),
        ) {
            let [a, b] = [a, b].map(|values| values.into_iter().map(f64::from).collect::<Vec<_>>());
            let counted: f64 = a
                .iter()
                .flat_map(|x| b.iter().map(move |y| if x > y { 1.0 } else if x == y { 0.5 } else { 0.0 }))
                .sum();
            let (forward, backward) = (rank_sum_test(&a, &b).expect("found"), rank_sum_test(&b, &a).expect("found"));
            prop_assert_eq!(forward.statistic, counted);
            prop_assert_eq!(forward.p, backward.p);
            prop_assert!((forward.probability + backward.probability - 1.0).abs() < 1e-12);
            prop_assert!((0.0..=1.0).contains(&forward.p));
        }
    }
}
