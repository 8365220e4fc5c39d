//! Fisher's paired randomization test, which flips the signs of the differences between two systems.

use control::Control;
use rand_pcg::rand_core::Rng;

use super::{Differences, MonteCarlo};
use crate::error::Error;

/// Maximum number of nonzero differences for which the test goes through all assignments of signs. There are at most
/// 2¹⁶ = 65,536 assignments.
const MAX_EXACT_DIFFERENCES: usize = 16;

/// Number of partial sums that the values are added to. At the end, the partial sums are added up. A fixed number gives
/// the same rounding errors on every CPU, and still lets the compiler use SIMD.
const PARTIAL_SUM_COUNT: usize = 8;

/// Returns the p-value of Fisher's paired randomization test of the mean difference (Smucker et al., 2007).
///
/// If the systems do not differ, the two values of a query could just as well be swapped, which flips the sign of the
/// query's difference. p is the fraction of all assignments of signs for which the mean is at least as far from 0 as
/// the observed mean. Two means count as equally far from 0 if rounding errors could explain their difference.
///
/// If at most 16 differences are not 0, all assignments are counted. Otherwise `rounds` assignments are drawn at
/// random, and p = (1 + count) / (1 + rounds), where count is the number of drawn assignments with such a mean. In this
/// case, progress counts rounds.
///
/// # Errors
///
/// [`Error::Argument`] if there are 0 rounds; [`Error::Canceled`].
pub fn randomization_test(
    differences: &Differences,
    monte_carlo: MonteCarlo,
    control: &Control,
) -> Result<f64, Error> {
    let monte_carlo = monte_carlo.check()?;
    // The sign of a difference of 0 has no effect.
    let mut nonzero: Vec<f64> = differences.values.iter().copied().filter(|&value| value != 0.0).collect();
    // Two sums of n numbers are compared. The rounding error of each is at most (n − 1) · ε / 2 times the sum of the
    // absolute values (Higham, 2002, §4.2).
    let max_rounding_error = nonzero.len() as f64 * f64::EPSILON * differences.absolute_sum();
    if nonzero.len() <= MAX_EXACT_DIFFERENCES {
        return Ok(exact_p(&nonzero, max_rounding_error));
    }
    // `signed_sum` takes a multiple of 64 values. The added zeros do not change any sum.
    nonzero.resize(nonzero.len().next_multiple_of(u64::BITS as usize), 0.0);
    let threshold = signed_sum(&nonzero, || 0).abs() - max_rounding_error;
    let mut generator = monte_carlo.generator();
    control.set_total(monte_carlo.rounds.into());
    let mut count = 0;
    for _ in 0..monte_carlo.rounds {
        control.check()?;
        count += u32::from(signed_sum(&nonzero, || generator.next_u64()).abs() >= threshold);
        control.advance(1);
    }
    Ok(monte_carlo.p(count))
}

/// Returns the p-value from all assignments of signs.
fn exact_p(nonzero: &[f64], max_rounding_error: f64) -> f64 {
    // Bit i of `signs` is set if value i is negated.
    let sum = |signs: u32| -> f64 {
        nonzero.iter().enumerate().map(|(i, &value)| negated_if(value, u64::from(signs >> i))).sum()
    };
    let assignment_count = 1_u32 << nonzero.len();
    let threshold = sum(0).abs() - max_rounding_error;
    let count = (0..assignment_count).filter(|&signs| sum(signs).abs() >= threshold).count();
    count as f64 / f64::from(assignment_count)
}

/// Returns the sum of the values, some of which are negated. Each call of `next_signs` returns 64 bits for the next 64
/// values: value i of these 64 is negated if bit i is set. The number of values must be a multiple of 64.
fn signed_sum(values: &[f64], mut next_signs: impl FnMut() -> u64) -> f64 {
    let mut sums = [0.0; PARTIAL_SUM_COUNT];
    for block in values.chunks_exact(u64::BITS as usize) {
        let mut signs = next_signs();
        for group in block.chunks_exact(PARTIAL_SUM_COUNT) {
            for (i, (sum, &value)) in sums.iter_mut().zip(group).enumerate() {
                *sum += negated_if(value, signs >> i);
            }
            signs >>= PARTIAL_SUM_COUNT;
        }
    }
    sums.iter().sum()
}

/// Returns the value, negated if the lowest bit of `sign` is set. There is no branch, because the CPU cannot predict a
/// branch on random bits.
fn negated_if(value: f64, sign: u64) -> f64 {
    f64::from_bits(value.to_bits() ^ (sign << 63))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The p-value for the values of two systems.
    fn p(a: &[f64], b: &[f64], monte_carlo: MonteCarlo) -> f64 {
        let differences = Differences::new(a, b).expect("they can be compared");
        randomization_test(&differences, monte_carlo, &Control::new()).expect("it has rounds")
    }

    /// The exact p-value for integer differences, from the distribution of all signed sums. The distribution is built
    /// one difference at a time.
    fn p_from_distribution(differences: &[i32]) -> f64 {
        let max: i32 = differences.iter().map(|value| value.abs()).sum();
        // `probabilities[max + s]` is the probability that the signed sum is s.
        let mut probabilities = vec![0.0; 2 * max as usize + 1];
        probabilities[max as usize] = 1.0;
        for value in differences {
            let mut next = vec![0.0; probabilities.len()];
            for (i, &probability) in probabilities.iter().enumerate().filter(|&(_, &p)| p > 0.0) {
                next[i + value.unsigned_abs() as usize] += probability / 2.0;
                next[i - value.unsigned_abs() as usize] += probability / 2.0;
            }
            probabilities = next;
        }
        let observed = differences.iter().sum::<i32>().abs();
        (-max..).zip(&probabilities).filter(|(sum, _)| sum.abs() >= observed).map(|(_, p)| p).sum()
    }

    #[test]
    fn p_of_all_assignments_agrees_with_scipy() {
        // SciPy 1.17.1: permutation_test((a, b), mean of a - b, permutation_type='samples', n_resamples=inf).
        let (a, b) = (
            &[0.35, 0.84, 0.15, 0.60, 0.17, 0.62, 0.70, 0.20, 0.55, 0.48],
            &[0.39, 0.75, 0.15, 0.50, 0.24, 0.51, 0.64, 0.22, 0.41, 0.30],
        );
        assert_eq!(p(a, b, MonteCarlo::default()), 0.078_125);
        let system = [1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1].map(f64::from);
        let other = [0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0].map(f64::from);
        assert_eq!(p(&system, &other, MonteCarlo::default()), 0.039_062_5);
        let a = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3].map(f64::from);
        let b = [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5].map(f64::from);
        assert_eq!(p(&a, &b, MonteCarlo::default()), 0.751_586_914_062_5);
    }

    #[test]
    fn sums_that_differ_only_by_rounding_count_as_equal() {
        // In floating point, 0.1 + 0.2 − 0.3 is 5.6e-17 and 0.3 − 0.1 − 0.2 is −2.8e-17. Without rounding, both are 0,
        // and all assignments have a mean at least as far from 0.
        assert_eq!(p(&[0.1, 0.2, 0.0], &[0.0, 0.0, 0.3], MonteCarlo::default()), 1.0);
        assert_eq!(p(&[0.0, 0.0, 0.3], &[0.2, 0.1, 0.0], MonteCarlo::default()), 1.0);
    }

    #[test]
    fn p_of_drawn_assignments_agrees_with_the_exact_p() {
        let monte_carlo = MonteCarlo { rounds: 100_000, seed: 7 };
        for (n, better) in [(17, 11), (200, 110), (1000, 530), (1000, 540), (3610, 1900)] {
            // A difference is 2 if a is better, and −2 or −1 if b is better.
            let differences: Vec<i32> = (0..n).map(|i| if i < better { 2 } else { -1 - i % 2 }).collect();
            let exact = p_from_distribution(&differences);
            let a: Vec<f64> = differences.iter().map(|&value| f64::from(value)).collect();
            let drawn = p(&a, &vec![0.0; a.len()], monte_carlo);
            // Five standard errors of a fraction of 100,000 rounds, plus 1e-5 for the observed assignment, which counts
            // as one more round.
            let allowed = 5.0 * (exact * (1.0 - exact) / 1e5).sqrt() + 1e-5;
            assert!((drawn - exact).abs() <= allowed, "{n}: expected {exact}, got {drawn}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_p_and_queries_without_a_difference_do_not_change_it() {
        let a: Vec<f64> = (0..100).map(|i| f64::from(i * i % 31)).collect();
        let b: Vec<f64> = (0..100).map(|i| f64::from(i * 7 % 29)).collect();
        let monte_carlo = MonteCarlo { rounds: 1000, seed: 1 };
        let first = p(&a, &b, monte_carlo);
        assert_eq!(p(&a, &b, monte_carlo), first);
        assert_eq!(p(&b, &a, monte_carlo), first);
        assert!((2..20).any(|seed| p(&a, &b, MonteCarlo { seed, ..monte_carlo }) != first));
        let with_equal = |values: &[f64]| [values, &[1.0; 50]].concat();
        assert_eq!(p(&with_equal(&a), &with_equal(&b), monte_carlo), first);
    }

    #[test]
    fn p_is_1_without_any_difference_and_never_0() {
        assert_eq!(p(&[1.0, 0.5], &[1.0, 0.5], MonteCarlo::default()), 1.0);
        let monte_carlo = MonteCarlo { rounds: 999, seed: 42 };
        assert_eq!(p(&[1.0; 1000], &[0.0; 1000], monte_carlo), 1.0 / 1000.0);
    }

    #[test]
    fn the_test_can_be_canceled_and_0_rounds_are_refused() {
        let differences = Differences::new(&[1.0; 100], &[0.0; 100]).expect("they can be compared");
        let control = Control::new();
        control.cancel();
        let canceled = randomization_test(&differences, MonteCarlo::default(), &control);
        assert!(matches!(canceled, Err(Error::Canceled(_))));
        let none = randomization_test(&differences, MonteCarlo { rounds: 0, seed: 1 }, &Control::new());
        assert_eq!(none.expect_err("it has no rounds").to_string(), "rounds: expected at least 1, got 0");
    }

    proptest! {
        #[test]
        fn few_differences_give_the_exact_p(differences in prop::collection::vec(-9i32..10, 2..13)) {
            let a: Vec<f64> = differences.iter().map(|&value| f64::from(value)).collect();
            prop_assert_eq!(p(&a, &vec![0.0; a.len()], MonteCarlo::default()), p_from_distribution(&differences));
        }
    }
}
