//! Tests whether two systems differ. Three paired, two-sided tests compare the values of both systems for the same
//! queries (Smucker et al., 2007): the [t-test](paired_t_test), the [randomization test](randomization_test) and the
//! [bootstrap test](bootstrap_test). The [rank-sum test](rank_sum_test) compares two independent samples. [`holm`] and
//! [`bonferroni`] correct the p-values of several tests.
//!
//! ```
//! use control::Control;
//! use evaluation::significance::{Differences, MonteCarlo, paired_t_test, randomization_test};
//!
//! let differences = Differences::new(&[0.9, 0.7, 0.6, 0.8], &[0.5, 0.6, 0.4, 0.5])?;
//! assert_eq!(differences.mean(), 0.25);
//! // Two of the 16 ways to choose the signs give a mean this far from 0: all plus, and all minus.
//! assert_eq!(randomization_test(&differences, MonteCarlo::default(), &Control::new())?, 2.0 / 16.0);
//! assert!(paired_t_test(&differences).p < 0.05);
//! # Ok::<(), evaluation::Error>(())
//! ```

mod bootstrap;
mod correction;
mod randomization;
mod rank_sum;
mod t_test;

use rand_pcg::Pcg64;

use crate::error::Error;

pub use bootstrap::bootstrap_test;
pub use correction::{bonferroni, holm};
pub use randomization::randomization_test;
pub use rank_sum::{RankSum, rank_sum_test, smallest_significant_shift};
pub use t_test::{PairedT, paired_t_test, smallest_significant_difference};

/// The difference between the values of two systems for each query.
#[derive(Debug, Clone, PartialEq)]
pub struct Differences {
    values: Vec<f64>,
}

impl Differences {
    /// Computes the differences `a[i] - b[i]`, where `a[i]` and `b[i]` are two systems' values for the same query.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `a` and `b` have different lengths or fewer than 2 values, if a value is not finite, or
    /// if the sum of the differences' absolute values is not finite.
    pub fn new(a: &[f64], b: &[f64]) -> Result<Self, Error> {
        if a.len() != b.len() {
            return Err(argument(format!("{} for each system", a.len()), b.len().to_string()));
        }
        if a.len() < 2 {
            return Err(argument("values for at least 2 queries".into(), a.len().to_string()));
        }
        if let Some(value) = a.iter().chain(b).find(|value| !value.is_finite()) {
            return Err(argument("finite numbers".into(), value.to_string()));
        }
        let differences = Self { values: a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let sum = differences.absolute_sum();
        if !sum.is_finite() {
            return Err(argument("differences that add up to a finite number".into(), sum.to_string()));
        }
        Ok(differences)
    }

    /// Number of queries; at least 2.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "there are at least 2 differences")]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the mean difference a − b.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// Returns the sum of the absolute differences.
    fn absolute_sum(&self) -> f64 {
        self.values.iter().map(|value| value.abs()).sum()
    }
}

/// Options of a test that draws random samples. The same values and the same options give the same p on every platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonteCarlo {
    /// Number of random samples; at least 1.
    pub rounds: u32,
    /// Seed of the random number generator.
    pub seed: u64,
}

impl Default for MonteCarlo {
    /// 10,000 rounds with seed 42.
    fn default() -> Self {
        Self { rounds: 10_000, seed: 42 }
    }
}

impl MonteCarlo {
    /// Fails with [`Error::Argument`] if there are 0 rounds.
    fn check(self) -> Result<Self, Error> {
        if self.rounds == 0 {
            return Err(Error::Argument { what: "rounds", expected: "at least 1".into(), got: "0".into() });
        }
        Ok(self)
    }

    /// Returns the random number generator: PCG XSL RR 128/64 (O'Neill, 2014), with the default stream of the author's
    /// implementation.
    fn generator(self) -> Pcg64 {
        Pcg64::new(self.seed.into(), 0x0a02_bdbf_7bb3_c0a7_ac28_fa16_a64a_bf96)
    }

    /// Returns the p-value if `count` samples have a statistic at least as extreme as the observed one. The observed
    /// sample counts as one of the samples, so that p is never 0 (Davison & Hinkley, 1997, §4.2).
    fn p(self, count: u32) -> f64 {
        (1.0 + f64::from(count)) / (1.0 + f64::from(self.rounds))
    }
}

/// Returns the error for invalid input of a test.
fn argument(expected: String, got: String) -> Error {
    Error::Argument { what: "values to compare", expected, got }
}

#[cfg(test)]
mod tests {
    use rand_pcg::rand_core::Rng;

    use super::*;

    #[test]
    fn random_numbers_for_a_seed_agree_with_numpy() {
        // NumPy 2.4.6: numpy.random.PCG64 with its state set to seed 42 and this stream, then random_raw(4).
        let mut generator = MonteCarlo::default().generator();
        assert_eq!(
            [(); 4].map(|()| generator.next_u64()),
            [0x7f56_8159_6e68_84d6, 0x8e25_207d_f0e4_f4cd, 0x87d8_e0e1_d5dd_1c26, 0x48db_c489_7a70_11a6]
        );
    }

    #[test]
    fn values_that_cannot_be_compared_are_refused() {
        let message = |a: &[f64], b: &[f64]| Differences::new(a, b).expect_err("refused").to_string();
        assert_eq!(message(&[1.0, 0.0], &[1.0]), "values to compare: expected 2 for each system, got 1");
        assert_eq!(
            message(&[1.0], &[0.5]),
            "values to compare: expected values for at least 2 queries, got 1"
        );
        assert_eq!(message(&[], &[]), "values to compare: expected values for at least 2 queries, got 0");
        assert_eq!(
            message(&[1.0, 2.0], &[0.5, f64::NAN]),
            "values to compare: expected finite numbers, got NaN"
        );
        assert_eq!(
            message(&[f64::MAX, 0.0], &[f64::MIN, 0.0]),
            "values to compare: expected differences that add up to a finite number, got inf"
        );
    }
}
