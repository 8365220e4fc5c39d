//! The logarithm of the softmax's denominator, independent of the number of threads.

use kernels::logits::SoftmaxSum;

use super::collector::PART_TOKENS;
use crate::Error;

/// Computes ln Σ exp(logit) of one vector. It keeps one sum per part of the vocabulary (see [`PART_TOKENS`]), and adds
/// these sums in a fixed order at the end, so that the result has the same bits however the parts are distributed over
/// threads.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogSumExp {
    /// One sum per part, in the order of the vocabulary.
    sums: Vec<SoftmaxSum>,
    /// Which part the last sum is for, counted from the start of the vocabulary. This number differs from the position
    /// of the sum in `sums` if the first sum is not for the first part.
    last_part: Option<usize>,
}

impl LogSumExp {
    /// Returns the sum to which the logits of the block that begins with `token` must be added.
    pub fn part_sum(&mut self, token: usize) -> &mut SoftmaxSum {
        let part = token / PART_TOKENS;
        if self.last_part != Some(part) {
            self.last_part = Some(part);
            self.sums.push(SoftmaxSum::new());
        }
        self.sums.last_mut().expect("one was pushed")
    }

    /// Appends the sums of the parts that follow.
    pub fn merge(&mut self, next: Self) {
        self.sums.extend(next.sums);
        self.last_part = next.last_part;
    }

    /// Returns ln Σ exp(logit). `row` is the position of the vector, for error messages.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the result is not finite.
    pub fn value(&self, row: usize) -> Result<f64, Error> {
        let mut total = SoftmaxSum::new();
        self.sums.iter().for_each(|sum| total.add(sum));
        let logarithm = total.logarithm();
        if logarithm.is_finite() {
            return Ok(logarithm);
        }
        Err(Error::Argument {
            what: format!("vectors[{row}]"),
            expected: "a vector whose logits are finite numbers".to_owned(),
            got: "NaN or infinity".to_owned(),
        })
    }
}

/// Returns the softmax of a logit, given the value of the vector's [`LogSumExp`].
pub(super) fn probability(logit: f32, log_sum_exp: f64) -> f64 {
    libm::exp(f64::from(logit) - log_sum_exp)
}
