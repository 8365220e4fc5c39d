//! The logits or probabilities of all tokens, for each of several vectors.

use std::ops::Range;

use control::Control;
use kernels::logits::LogitKernels;
use rayon::prelude::*;

use super::collector::LogitCollector;
use super::log_sum_exp::{LogSumExp, probability};
use super::scan::scan_logits;
use crate::{Error, Head};

impl Head {
    /// Returns all logits E g(e) + b of each vector e (see [`Head`]): maps `[rows, dim]` to `[rows, vocabulary_size]`.
    ///
    /// The result needs 4 bytes per vector and token. One unit of progress is one vector. `threads` is the number of
    /// threads; 0 means one per CPU.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`]; [`Error::Argument`] if a vector is not finite or overflows in the head;
    /// [`Error::Threads`]; [`Error::Canceled`].
    pub fn logits(&self, vectors: &[f32], threads: usize, control: &Control) -> Result<Vec<f32>, Error> {
        self.map_logits(vectors, threads, control, |logit, _| logit)
    }

    /// Returns each vector's probability distribution over the vocabulary: the softmax of [`logits`](Self::logits),
    /// `[rows, vocabulary_size]`.
    ///
    /// # Errors
    ///
    /// The errors of [`logits`](Self::logits).
    pub fn probabilities(
        &self,
        vectors: &[f32],
        threads: usize,
        control: &Control,
    ) -> Result<Vec<f32>, Error> {
        self.map_logits(vectors, threads, control, |logit, sum| probability(logit, sum) as f32)
    }

    /// Returns `value(logit, log_sum_exp)` for each logit of each vector. `log_sum_exp` is ln Σ exp(logit) over all
    /// logits of the same vector.
    fn map_logits(
        &self,
        vectors: &[f32],
        threads: usize,
        control: &Control,
        value: impl Fn(f32, f64) -> f32 + Sync,
    ) -> Result<Vec<f32>, Error> {
        let vocabulary_size = self.vocabulary_size;
        let collector = |_: usize, _: &[f32]| AllLogits {
            log_sum_exp: LogSumExp::default(),
            logits: Vec::with_capacity(vocabulary_size),
        };
        let collected = scan_logits(self, vectors, threads, control, collector)?;
        let mut values = vec![0.0; collected.len() * vocabulary_size];
        let rows = values.par_chunks_exact_mut(vocabulary_size).zip(collected).enumerate();
        threads::install(threads, || {
            rows.try_for_each(|(row, (values, collected))| {
                control.check()?;
                let log_sum_exp = collected.log_sum_exp.value(row)?;
                let pairs = values.iter_mut().zip(&collected.logits);
                pairs.for_each(|(slot, &logit)| *slot = value(logit, log_sum_exp));
                Ok::<(), Error>(())
            })
        })??;
        Ok(values)
    }
}

/// The logits of one vector, in the order of the tokens.
struct AllLogits {
    log_sum_exp: LogSumExp,
    logits: Vec<f32>,
}

impl LogitCollector for AllLogits {
    fn collect(&mut self, tokens: Range<usize>, products: &mut [f32], bias: &[f32]) {
        LogitKernels::detect().accumulate(products, bias, self.log_sum_exp.part_sum(tokens.start));
        self.logits.extend_from_slice(products);
    }

    fn merge(&mut self, next: Self) {
        self.log_sum_exp.merge(next.log_sum_exp);
        self.logits.extend(next.logits);
    }
}
