//! Student's paired t-test.

use statrs::function::beta::beta_reg;

use super::{Differences, argument};
use crate::error::Error;

/// The result of a paired t-test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedT {
    /// The t statistic: the mean difference divided by its standard error.
    pub statistic: f64,
    /// Standard error of the mean difference, s / √n. It is 0 if all differences are equal.
    pub standard_error: f64,
    /// Number of queries − 1.
    pub degrees_of_freedom: usize,
    /// The two-sided p-value.
    pub p: f64,
}

/// Computes Student's paired t-test (Student, 1908): t = d̄ / (s / √n) with n − 1 degrees of freedom, where d̄ is the
/// mean difference and s the standard deviation of the differences.
///
/// p is correct to 10 digits for up to 100,000 queries, even below p = 1e-80. If all differences are 0, t = 0 and p =
/// 1. If all differences are equal and not 0, their variance is 0, so t is infinite and p = 0.
#[must_use]
pub fn paired_t_test(differences: &Differences) -> PairedT {
    let n = differences.len() as f64;
    let degrees_of_freedom = differences.len() - 1;
    let largest = differences.values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest == 0.0 {
        return PairedT { statistic: 0.0, standard_error: 0.0, degrees_of_freedom, p: 1.0 };
    }
    if differences.values.iter().all(|&value| value == differences.values[0]) {
        let statistic = f64::INFINITY.copysign(differences.values[0]);
        return PairedT { statistic, standard_error: 0.0, degrees_of_freedom, p: 0.0 };
    }
    // t does not depend on the scale of the differences. They are divided by the largest absolute value, so that
    // squares cannot overflow.
    let scaled = || differences.values.iter().map(|value| value / largest);
    let mean = scaled().sum::<f64>() / n;
    let variance = scaled().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let scaled_error = (variance / n).sqrt();
    let statistic = mean / scaled_error;
    let p = two_sided_p(statistic, n - 1.0);
    PairedT { statistic, standard_error: scaled_error * largest, degrees_of_freedom, p }
}

/// Returns the smallest mean difference for which a paired t-test over `queries` queries has a p-value of at most `p`.
/// This is how large a difference must be for the test to find it.
///
/// If the standard error is above 0, the result is the standard error times the critical value of t for `p`: half the
/// width of the confidence interval of the mean difference at the level 1 − `p`.
///
/// If no query differs, the standard error is 0. For a standard error of 0, the result assumes that each value is 0 or
/// 1: if m of n queries differ, all in the same direction, the mean difference is m / n and t² = m (n − 1) / (n − m),
/// so m / n must be at least t² / (n − 1 + t²). The result is this fraction.
///
/// # Errors
///
/// [`Error::Argument`] if there are fewer than 2 queries, if `p` is not between 0 and 1, or if the standard error is
/// negative or not finite.
pub fn smallest_significant_difference(standard_error: f64, queries: usize, p: f64) -> Result<f64, Error> {
    if queries < 2 {
        return Err(argument("at least 2 queries".into(), queries.to_string()));
    }
    if !(p > 0.0 && p < 1.0) {
        return Err(argument("a p between 0 and 1".into(), p.to_string()));
    }
    if !(standard_error >= 0.0 && standard_error.is_finite()) {
        return Err(argument("a finite standard error of at least 0".into(), standard_error.to_string()));
    }
    let degrees_of_freedom = (queries - 1) as f64;
    let t = critical_value(p, degrees_of_freedom);
    if standard_error > 0.0 {
        return Ok(t * standard_error);
    }
    Ok(t * t / (degrees_of_freedom + t * t))
}

/// Returns the t that has the two-sided p-value `p`. Bisection finds it, because [`two_sided_p`] falls as t grows.
fn critical_value(p: f64, degrees_of_freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while two_sided_p(high, degrees_of_freedom) > p {
        (low, high) = (high, 2.0 * high);
    }
    loop {
        let middle = f64::midpoint(low, high);
        // No floating-point number lies between `low` and `high`.
        if middle <= low || middle >= high {
            return high;
        }
        if two_sided_p(middle, degrees_of_freedom) > p {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Returns P(|T| ≥ |t|) of Student's t distribution with ν degrees of freedom: the regularized incomplete beta function
/// I_x(ν/2, 1/2) at x = ν / (ν + t²) (Abramowitz & Stegun, 1964, 26.7.1).
fn two_sided_p(t: f64, degrees_of_freedom: f64) -> f64 {
    let square = t * t;
    if square.is_infinite() {
        return 0.0;
    }
    let (half, denominator) = (degrees_of_freedom / 2.0, degrees_of_freedom + square);
    if square < 1.0 {
        // x is near 1, so 1 − x has more significant digits. I_x(a, b) = 1 − I_{1−x}(b, a).
        1.0 - beta_reg(0.5, half, square / denominator)
    } else {
        beta_reg(half, 0.5, degrees_of_freedom / denominator)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The paired t-test of the values of two systems.
    fn t_test(a: &[f64], b: &[f64]) -> PairedT {
        paired_t_test(&Differences::new(a, b).expect("they can be compared"))
    }

    fn assert_near(got: f64, expected: f64, tolerance: f64) {
        assert!((got - expected).abs() <= tolerance * expected.abs(), "expected {expected:e}, got {got:e}");
    }

    #[test]
    fn results_agree_with_scipy() {
        // SciPy 1.17.1, scipy.stats.ttest_rel.
        let (a, b) = (
            &[0.35, 0.84, 0.15, 0.60, 0.17, 0.62, 0.70, 0.20, 0.55, 0.48],
            &[0.39, 0.75, 0.15, 0.50, 0.24, 0.51, 0.64, 0.22, 0.41, 0.30],
        );
        let result = t_test(a, b);
        assert_near(result.statistic, 2.087_938_598_252_366, 1e-12);
        assert_near(result.p, 0.066_404_968_119_343_77, 1e-12);
        assert_eq!(result.degrees_of_freedom, 9);

        let system = [1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1].map(f64::from);
        let other = [0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0].map(f64::from);
        let result = t_test(&system, &other);
        assert_near(result.statistic, 2.876_234_912_646_613_6, 1e-12);
        assert_near(result.p, 0.012_986_865_174_166_685, 1e-12);
        assert_near(t_test(&other, &system).statistic, -2.876_234_912_646_613_6, 1e-12);
    }

    #[test]
    fn results_agree_with_scipy_for_thousands_of_queries() {
        // SciPy 1.17.1, scipy.stats.ttest_rel; i = arange(n), a = 7i % 11 / 10 + shift, b = 3i % 13 / 12.
        for (n, shift, statistic, p) in [
            (50, 0.02, 0.399_269_807_356_714_86, 0.691_429_350_739_785_6),
            (50, 0.2, 3.352_772_491_913_235, 0.001_549_150_425_704_256_4),
            (400, 0.1, 4.531_487_297_885_943, 7.750_431_547_626_87e-6),
            (3610, 0.01, 1.335_842_171_936_357, 0.181_685_095_630_249_84),
            (3610, 0.02, 2.689_179_002_812_946, 0.007_195_738_467_026_665),
            (3610, 0.1, 13.515_873_649_825_65, 1.209_343_045_603_576e-40),
        ] {
            let a: Vec<f64> = (0..n).map(|i| f64::from(7 * i % 11) / 10.0 + shift).collect();
            let b: Vec<f64> = (0..n).map(|i| f64::from(3 * i % 13) / 12.0).collect();
            let result = t_test(&a, &b);
            assert_near(result.statistic, statistic, 1e-11);
            assert_near(result.p, p, 1e-9);
        }
    }

    #[test]
    fn small_and_large_p_values_agree_with_arbitrary_precision() {
        // mpmath 1.4.1 with 50 digits: betainc(df/2, 1/2, 0, df/(df + t²), regularized=True). SciPy 1.17.1, 2 · t.sf,
        // agrees.
        for (df, t, p) in [
            (1.0, 1e-8, 0.999_999_993_633_802_3),
            (1.0, 20.0, 0.031_804_502_512_352_75),
            (9.0, 0.5, 0.629_071_299_826_026_5),
            (9.0, 20.0, 9.079_521_299_916_544e-9),
            (3609.0, 1e-8, 0.999_999_992_021_707_1),
            (3609.0, 2.0, 0.045_575_074_183_720_7),
            (3609.0, 12.0, 1.468_148_768_269_990_5e-32),
            (3609.0, 20.0, 1.772_928_813_285_783_4e-84),
            (7723.0, 0.5, 0.617_089_322_979_713_1),
            (7723.0, 12.0, 6.958_761_005_691_796e-33),
            (7723.0, 20.0, 8.442_514_661_604_47e-87),
            (100_000.0, 1e-8, 0.999_999_992_021_174_3),
            (100_000.0, 2.0, 0.045_502_963_457_506_46),
            (100_000.0, 12.0, 3.744_505_811_956_351e-33),
            (100_000.0, 20.0, 8.223_493_910_654_362e-89),
        ] {
            assert_near(two_sided_p(t, df), p, 1e-10);
            assert_eq!(two_sided_p(-t, df), two_sided_p(t, df));
        }
        assert_near(two_sided_p(12.0, 1e6), 3.571_685_124_765_09e-33, 1e-8);
    }

    #[test]
    fn p_is_0_or_1_for_differences_without_variance() {
        assert_eq!(
            t_test(&[1.0, 0.5, 0.25], &[1.0, 0.5, 0.25]),
            PairedT { statistic: 0.0, standard_error: 0.0, degrees_of_freedom: 2, p: 1.0 }
        );
        let result = t_test(&[0.0, 1.0, 2.0], &[1.0, 2.0, 3.0]);
        let expected =
            PairedT { statistic: f64::NEG_INFINITY, standard_error: 0.0, degrees_of_freedom: 2, p: 0.0 };
        assert_eq!(result, expected);
    }

    #[test]
    fn the_scale_of_the_values_does_not_matter() {
        // The differences 0, 1, 2, 3 and 4 have t = 2 / (√2.5 / √5) = √8.
        for unit in [1e-200, 1e-30, 1.0, 1e200] {
            let a = [0.0, 1.0, 2.0, 3.0, 4.0].map(|value| value * unit);
            assert_near(t_test(&a, &[0.0; 5]).statistic, 8f64.sqrt(), 1e-14);
        }
    }

    #[test]
    fn critical_values_agree_with_scipy() {
        // SciPy 1.17.1, scipy.stats.t.ppf(1 - p / 2, df).
        for (p, df, t) in [
            (0.05, 9.0, 2.262_157_162_740_992),
            (0.01, 9.0, 3.249_835_541_592_126_3),
            (0.05, 1.0, 12.706_204_736_174_69),
            (0.01, 99.0, 2.626_405_457_280_827),
        ] {
            assert_near(critical_value(p, df), t, 1e-9);
        }
    }

    #[test]
    fn the_smallest_significant_difference_has_the_requested_p_value() {
        let (a, b) = ([0.9, 0.6, 0.7, 1.0, 0.2], [0.5, 0.4, 0.6, 0.7, 0.4]);
        let result = t_test(&a, &b);
        let smallest =
            smallest_significant_difference(result.standard_error, 5, 0.01).expect("it can be computed");
        // Adding a constant to one system changes the mean difference but not its standard error.
        let mean = Differences::new(&a, &b).expect("they can be compared").mean();
        let shifted = a.map(|value| value + smallest - mean);
        assert_near(t_test(&shifted, &b).p, 0.01, 1e-9);
        // If no query differs, the result is the smallest fraction of queries that must differ, all in the same
        // direction.
        let p_if_differing = |m: usize| {
            t_test(&std::array::from_fn::<f64, 40, _>(|i| f64::from(u8::from(i < m))), &[0.0; 40]).p
        };
        let smallest = smallest_significant_difference(0.0, 40, 0.01).expect("it can be computed");
        let m = (smallest * 40.0).ceil() as usize;
        let (p, p_with_one_fewer) = (p_if_differing(m), p_if_differing(m - 1));
        assert!(p <= 0.01 && p_with_one_fewer > 0.01, "{m}: {p} {p_with_one_fewer}");
    }

    #[test]
    fn the_smallest_significant_difference_refuses_invalid_arguments() {
        for (error, queries, p) in
            [(0.1, 1, 0.01), (0.1, 5, 0.0), (0.1, 5, 1.0), (-0.1, 5, 0.01), (f64::NAN, 5, 0.01)]
        {
            assert!(smallest_significant_difference(error, queries, p).is_err(), "{error} {queries} {p}");
        }
    }

    proptest! {
        #[test]
        fn swapping_the_systems_keeps_p(pairs in prop::collection::vec((0.0..1.0, 0.0..1.0), 2..40)) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let (forward, backward) = (t_test(&a, &b), t_test(&b, &a));
            prop_assert_eq!(forward.p, backward.p);
            prop_assert_eq!(forward.statistic, -backward.statistic);
            prop_assert!((0.0..=1.0).contains(&forward.p));
        }
    }
}
