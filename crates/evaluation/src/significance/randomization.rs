//! Fisher's paired randomization test.

use control::Control;
use rand_pcg::rand_core::Rng;

use super::{Differences, MonteCarlo};
use crate::error::Error;

/// With at most this many nonzero differences, the test counts all assignments of signs, at most 65,536.
const EXACT_UP_TO: usize = 16;

/// Number of partial sums, which are added in the same order on every CPU.
const PARTS: usize = 8;

/// Fisher's paired randomization test of the mean difference (Smucker et al., 2007). If the systems do not differ, the two values
/// of a query could be swapped, which flips the sign of its difference. p is the fraction of all assignments of signs for which
/// the mean is at least as far from 0 as the observed mean.
///
/// If at most 16 differences are not 0, all assignments are counted. Otherwise `rounds` of them are drawn at random, and
/// p = (1 + count) / (1 + rounds). Means whose difference could come from rounding count as equal. Progress counts rounds.
///
/// # Errors
///
/// [`Error::Argument`] for 0 rounds, [`Error::Cancelled`].
pub fn randomization_test(
    differences: &Differences,
    monte_carlo: MonteCarlo,
    control: &Control,
) -> Result<f64, Error> {
    let monte_carlo = monte_carlo.check()?;
    // A difference of 0 has no sign.
    let mut changed: Vec<f64> = differences.values.iter().copied().filter(|&value| value != 0.0).collect();
    // The rounding error of each of the two sums of n numbers is at most (n − 1) · ε / 2 times the sum of their absolute values
    // (Higham, 2002, §4.2).
    let rounding = changed.len() as f64 * f64::EPSILON * differences.sum_of_sizes();
    if changed.len() <= EXACT_UP_TO {
        return Ok(exact(&changed, rounding));
    }
    changed.resize(changed.len().next_multiple_of(u64::BITS as usize), 0.0);
    let reached = signed_sum(&changed, || 0).abs() - rounding;
    let mut generator = monte_carlo.generator();
    control.set_total(monte_carlo.rounds.into());
    let mut count = 0;
    for _ in 0..monte_carlo.rounds {
        control.check()?;
        count += u32::from(signed_sum(&changed, || generator.next_u64()).abs() >= reached);
        control.advance(1);
    }
    Ok(monte_carlo.p(count))
}

fn exact(changed: &[f64], rounding: f64) -> f64 {
    let sum = |negative: u32| -> f64 {
        changed.iter().enumerate().map(|(at, &value)| flipped(value, u64::from(negative >> at))).sum()
    };
    let ways = 1_u32 << changed.len();
    let reached = sum(0).abs() - rounding;
    let count = (0..ways).filter(|&negative| sum(negative).abs() >= reached).count();
    count as f64 / f64::from(ways)
}

/// The sum of the values, each negated if its bit in `signs` is set. The number of values is a multiple of 64.
fn signed_sum(values: &[f64], mut signs: impl FnMut() -> u64) -> f64 {
    let mut sums = [0.0; PARTS];
    for values in values.chunks_exact(u64::BITS as usize) {
        let mut signs = signs();
        for values in values.chunks_exact(PARTS) {
            for (at, (sum, &value)) in sums.iter_mut().zip(values).enumerate() {
                *sum += flipped(value, signs >> at);
            }
            signs >>= PARTS;
        }
    }
    sums.iter().sum()
}

/// The value, negated if the lowest bit of `sign` is set. It has no branch, because a branch on random bits is mispredicted.
fn flipped(value: f64, sign: u64) -> f64 {
    f64::from_bits(value.to_bits() ^ (sign << 63))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn p(a: &[f64], b: &[f64], monte_carlo: MonteCarlo) -> f64 {
        let differences = Differences::new(a, b).expect("they can be compared");
        randomization_test(&differences, monte_carlo, &Control::new()).expect("it has rounds")
    }

    /// The exact p of integer differences, from the distribution of all signed sums, which is built one difference at a time.
    fn by_counting(differences: &[i32]) -> f64 {
        let max: i32 = differences.iter().map(|value| value.abs()).sum();
        let mut ways = vec![0.0; 2 * max as usize + 1];
        ways[max as usize] = 1.0;
        for value in differences {
            let mut next = vec![0.0; ways.len()];
            for (at, &share) in ways.iter().enumerate().filter(|&(_, &share)| share > 0.0) {
                next[at + value.unsigned_abs() as usize] += share / 2.0;
                next[at - value.unsigned_abs() as usize] += share / 2.0;
            }
            ways = next;
        }
        let observed = differences.iter().sum::<i32>().abs();
        (-max..).zip(&ways).filter(|(sum, _)| sum.abs() >= observed).map(|(_, share)| share).sum()
    }

    #[test]
    fn it_agrees_with_scipy() {
        // SciPy 1.17.1: permutation_test((a, b), mean of a - b, permutation_type='samples', n_resamples=inf).
        let precision = (
            &[0.35, 0.84, 0.15, 0.60, 0.17, 0.62, 0.70, 0.20, 0.55, 0.48],
            &[0.39, 0.75, 0.15, 0.50, 0.24, 0.51, 0.64, 0.22, 0.41, 0.30],
        );
        assert_eq!(p(precision.0, precision.1, MonteCarlo::default()), 0.078_125);
        let found = [1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1].map(f64::from);
        let less = [0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0].map(f64::from);
        assert_eq!(p(&found, &less, MonteCarlo::default()), 0.039_062_5);
        let a = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3].map(f64::from);
        let b = [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5].map(f64::from);
        assert_eq!(p(&a, &b, MonteCarlo::default()), 0.751_586_914_062_5);
    }

    #[test]
    fn sums_that_differ_only_by_rounding_are_equal() {
        // In floats, 0.1 + 0.2 − 0.3 is 5.6e-17 and 0.3 − 0.1 − 0.2 is −2.8e-17. Both are really 0, so all assignments count.
        assert_eq!(p(&[0.1, 0.2, 0.0], &[0.0, 0.0, 0.3], MonteCarlo::default()), 1.0);
        assert_eq!(p(&[0.0, 0.0, 0.3], &[0.2, 0.1, 0.0], MonteCarlo::default()), 1.0);
    }

    #[test]
    fn p_of_drawn_assignments_agrees_with_the_exact_p() {
        let monte_carlo = MonteCarlo { rounds: 100_000, seed: 7 };
        for (n, better) in [(17, 11), (200, 110), (1000, 530), (1000, 540), (3610, 1900)] {
            // 2 if a is better, −2 or −1 if b is better.
            let differences: Vec<i32> = (0..n).map(|at| if at < better { 2 } else { -1 - at % 2 }).collect();
            let exact = by_counting(&differences);
            let a: Vec<f64> = differences.iter().map(|&value| f64::from(value)).collect();
            let drawn = p(&a, &vec![0.0; a.len()], monte_carlo);
            // Five standard errors of a fraction of 100,000, plus the observed assignment, which counts as drawn.
            let allowed = 5.0 * (exact * (1.0 - exact) / 1e5).sqrt() + 1e-5;
            assert!((drawn - exact).abs() <= allowed, "{n}: expected {exact}, got {drawn}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_p_and_queries_without_a_difference_do_not_change_it() {
        let a: Vec<f64> = (0..100).map(|at| f64::from(at * at % 31)).collect();
        let b: Vec<f64> = (0..100).map(|at| f64::from(at * 7 % 29)).collect();
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
    fn it_can_be_cancelled_and_refuses_0_rounds() {
        let differences = Differences::new(&[1.0; 100], &[0.0; 100]).expect("they can be compared");
        let control = Control::new();
        control.cancel();
        let cancelled = randomization_test(&differences, MonteCarlo::default(), &control);
        assert!(matches!(cancelled, Err(Error::Cancelled(_))));
        let none = randomization_test(&differences, MonteCarlo { rounds: 0, seed: 1 }, &Control::new());
        assert_eq!(none.expect_err("it has no rounds").to_string(), "rounds: expected at least 1, got 0");
    }

    proptest! {
        #[test]
        fn up_to_16_differences_give_the_exact_p(differences in prop::collection::vec(-9i32..10, 2..13)) {
            let a: Vec<f64> = differences.iter().map(|&value| f64::from(value)).collect();
            prop_assert_eq!(p(&a, &vec![0.0; a.len()], MonteCarlo::default()), by_counting(&differences));
        }
    }
}
