use kernels::logits::SoftmaxSum;

use super::collector::SHARE_TOKENS;
use crate::Error;

/// What a vector's softmax divides by: a sum for each share of the vocabulary, so that it has the same bits however many
/// threads the shares were split over.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogSumExp {
    /// In the order of the shares, and the number of the last.
    sums: Vec<SoftmaxSum>,
    share: Option<usize>,
}

impl LogSumExp {
    /// The sum that a block of tokens goes to, which begins at `token`.
    pub fn of(&mut self, token: usize) -> &mut SoftmaxSum {
        let share = token / SHARE_TOKENS;
        if self.share != Some(share) {
            self.share = Some(share);
            self.sums.push(SoftmaxSum::new());
        }
        self.sums.last_mut().expect("one was pushed")
    }

    /// Takes the sums of the shares that follow.
    pub fn merge(&mut self, next: Self) {
        self.sums.extend(next.sums);
        self.share = next.share;
    }

    /// ln Σ exp(logit) of vector `row`.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if it is no number.
    pub fn logarithm(&self, row: usize) -> Result<f64, Error> {
        let mut total = SoftmaxSum::new();
        self.sums.iter().for_each(|sum| total.add(sum));
        let logarithm = total.logarithm();
        if logarithm.is_finite() {
            return Ok(logarithm);
        }
        Err(Error::Argument {
            what: format!("vectors[{row}]"),
            expected: "a vector whose logits are finite numbers".to_owned(),
            got: "others".to_owned(),
        })
    }
}
