use std::ops::Range;

use control::Control;
use kernels::logits::LogitKernels;
use rayon::prelude::*;

use super::collector::LogitCollector;
use super::log_sum_exp::LogSumExp;
use super::scan::scan_logits;
use super::top_tokens::probability;
use crate::{Error, Head};

impl Head {
    /// All logits E g(e) + b of the vectors `[rows, dim]`: `[rows, vocabulary]`. They are what memory is needed for: 4 bytes
    /// for each. Counts each vector as one unit done; 0 `threads` are one for each CPU.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`]; [`Error::Argument`] for vectors that are not finite; [`Error::Cancelled`]
    pub fn logits(&self, vectors: &[f32], threads: usize, control: &Control) -> Result<Vec<f32>, Error> {
        self.all(vectors, threads, control, |logit, _| logit)
    }

    /// The softmax of [`logits`](Self::logits): the distribution over the vocabulary that each vector is, `[rows, vocabulary]`.
    ///
    /// # Errors
    ///
    /// As for [`logits`](Self::logits).
    pub fn probabilities(
        &self,
        vectors: &[f32],
        threads: usize,
        control: &Control,
    ) -> Result<Vec<f32>, Error> {
        self.all(vectors, threads, control, |logit, total| probability(logit, total) as f32)
    }

    /// `value(logit, total)` of all logits, where `total` is the logarithm of the sum of a vector's exponentials.
    fn all(
        &self,
        vectors: &[f32],
        threads: usize,
        control: &Control,
        value: impl Fn(f32, f64) -> f32 + Sync,
    ) -> Result<Vec<f32>, Error> {
        let room = self.vocabulary;
        let make =
            |_: usize, _: &[f32]| All { total: LogSumExp::default(), logits: Vec::with_capacity(room) };
        let found = scan_logits(self, vectors, threads, control, make)?;
        let mut values = vec![0.0; found.len() * self.vocabulary];
        let rows = values.par_chunks_exact_mut(self.vocabulary).zip(found).enumerate();
        threads::install(threads, || {
            rows.try_for_each(|(row, (values, found))| {
                control.check()?;
                let total = found.total.logarithm(row)?;
                values.iter_mut().zip(&found.logits).for_each(|(place, &logit)| *place = value(logit, total));
                Ok::<(), Error>(())
            })
        })??;
        Ok(values)
    }
}

/// The logits of one vector, in the order of the tokens.
struct All {
    total: LogSumExp,
    logits: Vec<f32>,
}

impl LogitCollector for All {
    fn block(&mut self, tokens: Range<usize>, products: &mut [f32], bias: &[f32]) {
        LogitKernels::detect().accumulate(products, bias, self.total.of(tokens.start));
        self.logits.extend_from_slice(products);
    }

    fn merge(&mut self, next: Self) {
        self.total.merge(next.total);
        self.logits.extend(next.logits);
    }
}
