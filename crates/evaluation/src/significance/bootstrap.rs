//! The paired bootstrap test: resamples queries to find out how likely the observed mean difference of two systems
//! would be if the systems did not differ.

use control::Control;
use rand_pcg::rand_core::Rng;

use super::{Differences, MonteCarlo};
use crate::error::Error;

/// Returns the p-value of the paired bootstrap test of the mean difference d̄, by the shift method (Efron & Tibshirani,
/// 1993, ch. 16; Smucker et al., 2007).
///
/// Each round draws n queries with replacement from the n queries, and computes their mean difference d̄*. The
/// deviation d̄* − d̄ shows how the mean would vary around 0 if the systems did not differ. p is (1 + count) /
/// (1 + rounds), where count is the number of rounds with |d̄* − d̄| ≥ |d̄|. The two sides of this comparison count as
/// equal if rounding errors could explain their difference.
///
/// Progress counts rounds.
///
/// # Errors
///
/// [`Error::Argument`] if there are 0 rounds; [`Error::Canceled`].
pub fn bootstrap_test(
    differences: &Differences,
    monte_carlo: MonteCarlo,
    control: &Control,
) -> Result<f64, Error> {
    let monte_carlo = monte_carlo.check()?;
    let values = &differences.values;
    let n = values.len() as f64;
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    // The rounding error of a sum of n numbers is at most n² · ε / 2 times their largest absolute value (Higham, 2002,
    // §4.2). The comparison uses three sums: the drawn sum once and the observed sum twice. The factor 2 instead of 3/2
    // also covers the rounding of the subtraction.
    let max_rounding_error = 2.0 * n * n * f64::EPSILON * largest;
    // Sums are compared instead of means, and the observed sum is subtracted instead of shifting each value. This makes
    // the test exact for integers.
    let observed: f64 = values.iter().sum();
    let threshold = observed.abs() - max_rounding_error;
    let mut generator = monte_carlo.generator();
    control.set_total(monte_carlo.rounds.into());
    let mut count = 0;
    for _ in 0..monte_carlo.rounds {
        control.check()?;
        let drawn: f64 =
            (0..values.len()).map(|_| values[scale_below(values.len(), generator.next_u64())]).sum();
        count += u32::from((drawn - observed).abs() >= threshold);
        control.advance(1);
    }
    Ok(monte_carlo.p(count))
}

/// Scales a random 64-bit number to a number below `n`: returns the upper 64 bits of `random` · `n` (Lemire, 2019). The
/// probabilities of two results differ by at most 2⁻⁶⁴.
fn scale_below(n: usize, random: u64) -> usize {
    ((u128::from(random) * n as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The p-value for the values of two systems.
    fn p(a: &[f64], b: &[f64], monte_carlo: MonteCarlo) -> f64 {
        let differences = Differences::new(a, b).expect("they can be compared");
        bootstrap_test(&differences, monte_carlo, &Control::new()).expect("it has rounds")
    }

    /// The exact p-value for integer differences, from all nⁿ samples.
    fn exact_p(differences: &[i32]) -> f64 {
        let n = differences.len();
        let observed: i32 = differences.iter().sum();
        let sample_count = n.pow(n as u32);
        let extreme = (0..sample_count).filter(|sample| {
            let drawn: i32 = (0..n).map(|draw| differences[sample / n.pow(draw as u32) % n]).sum();
            (drawn - observed).abs() >= observed.abs()
        });
        extreme.count() as f64 / sample_count as f64
    }

    #[test]
    fn p_agrees_with_the_exact_p() {
        let monte_carlo = MonteCarlo { rounds: 100_000, seed: 3 };
        for differences in
            [[1, 1, 0, -1, 0, 1, 0], [3, 1, 4, -1, 5, -9, 2], [1, 2, 3, 4, 5, 6, -7], [2, 7, 1, 8, 2, 8, 1]]
        {
            let exact = exact_p(&differences);
            // Multiples of 0.1 are rounded, but ties must still be found.
            for unit in [1.0, 0.1] {
                let a = differences.map(|value| f64::from(value) * unit);
                let drawn = p(&a, &[0.0; 7], monte_carlo);
                // Five standard errors of a fraction of 100,000 rounds, plus 1e-5 for the observed sample, which counts
                // as one more round.
                let allowed = 5.0 * (exact * (1.0 - exact) / 1e5).sqrt() + 1e-5;
                assert!((drawn - exact).abs() <= allowed, "{differences:?}: expected {exact}, got {drawn}");
            }
        }
    }

    #[test]
    fn p_agrees_with_the_t_test_of_scipy_for_many_queries() {
        // The mean of 3,610 values is almost normally distributed. SciPy 1.17.1 computes p = 0.0072 for these values
        // (`t_test.rs`).
        let a: Vec<f64> = (0..3610).map(|i| f64::from(7 * i % 11) / 10.0 + 0.02).collect();
        let b: Vec<f64> = (0..3610).map(|i| f64::from(3 * i % 13) / 12.0).collect();
        let expected = 0.007_195_738_467_026_665_f64;
        let drawn = p(&a, &b, MonteCarlo::default());
        // Five standard errors of a fraction of 10,000 rounds.
        let allowed = 5.0 * (expected / 1e4).sqrt();
        assert!((drawn - expected).abs() <= allowed, "{drawn}");
    }

    #[test]
    fn the_same_seed_gives_the_same_p() {
        let a: Vec<f64> = (0..100).map(|i| f64::from(i * i % 31)).collect();
        let b: Vec<f64> = (0..100).map(|i| f64::from(i * 7 % 29)).collect();
        let monte_carlo = MonteCarlo { rounds: 1000, seed: 1 };
        let first = p(&a, &b, monte_carlo);
        assert_eq!(p(&a, &b, monte_carlo), first);
        assert_eq!(p(&b, &a, monte_carlo), first);
        assert!((2..20).any(|seed| p(&a, &b, MonteCarlo { seed, ..monte_carlo }) != first));
    }

    #[test]
    fn p_is_1_without_any_difference_and_never_0() {
        assert_eq!(p(&[1.0, 0.5], &[1.0, 0.5], MonteCarlo::default()), 1.0);
        let monte_carlo = MonteCarlo { rounds: 999, seed: 42 };
        assert_eq!(p(&[1.1; 100], &[0.2; 100], monte_carlo), 1.0 / 1000.0);
    }

    #[test]
    fn the_test_can_be_canceled_and_0_rounds_are_refused() {
        let differences = Differences::new(&[1.0; 100], &[0.0; 100]).expect("they can be compared");
        let control = Control::new();
        control.cancel();
        let canceled = bootstrap_test(&differences, MonteCarlo::default(), &control);
        assert!(matches!(canceled, Err(Error::Canceled(_))));
        assert!(bootstrap_test(&differences, MonteCarlo { rounds: 0, seed: 1 }, &Control::new()).is_err());
    }

    #[test]
    fn random_numbers_are_scaled_to_all_numbers_below_n() {
        assert_eq!([0, u64::MAX / 2, u64::MAX].map(|random| scale_below(3, random)), [0, 1, 2]);
    }
}
