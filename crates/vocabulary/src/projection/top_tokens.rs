//! The most probable tokens of vectors.

use std::ops::Range;

use control::Control;
use kernels::logits::LogitKernels;
use ranking::{Hit, TopKBuffer};

use super::collector::LogitCollector;
use super::log_sum_exp::{LogSumExp, probability};
use super::scan::scan_logits;
use crate::{Error, Head};

/// A token of a vector's projection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenScore {
    /// The token's id in the vocabulary.
    pub token: u32,
    /// The token's logit: its entry of E g(e) + b (see [`Head`]).
    pub logit: f32,
    /// The token's probability: its entry of the softmax over the logits of the vocabulary.
    pub probability: f64,
}

impl Head {
    /// Returns the `k` most probable tokens of each of the vectors `[rows, dim]`, most probable first. If logits are
    /// equal, the lower id comes first.
    ///
    /// If the vocabulary has fewer than `k` tokens, all are returned. The logits of the whole vocabulary are never in
    /// memory at once. One unit of progress is one vector. `threads` is the number of threads; 0 means one per CPU.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`]; [`Error::Argument`] if a vector is not finite or overflows in the head;
    /// [`Error::Threads`]; [`Error::Canceled`].
    pub fn project(
        &self,
        vectors: &[f32],
        k: usize,
        threads: usize,
        control: &Control,
    ) -> Result<Vec<Vec<TokenScore>>, Error> {
        let k = k.min(self.vocabulary_size);
        let collector =
            |_: usize, _: &[f32]| TopTokens { log_sum_exp: LogSumExp::default(), best: TopKBuffer::new(k) };
        let collected = scan_logits(self, vectors, threads, control, collector)?;
        collected.into_iter().enumerate().map(|(row, top)| top.into_scores(row)).collect()
    }
}

/// The most probable tokens so far, and the denominator of the softmax over all tokens so far.
struct TopTokens {
    log_sum_exp: LogSumExp,
    best: TopKBuffer,
}

impl TopTokens {
    fn into_scores(self, row: usize) -> Result<Vec<TokenScore>, Error> {
        let log_sum_exp = self.log_sum_exp.value(row)?;
        let hits = self.best.into_sorted().into_iter();
        Ok(hits
            .map(|hit| TokenScore {
                token: hit.ord,
                logit: hit.score,
                probability: probability(hit.score, log_sum_exp),
            })
            .collect())
    }
}

impl LogitCollector for TopTokens {
    fn collect(&mut self, tokens: Range<usize>, products: &mut [f32], bias: &[f32]) {
        let sum = self.log_sum_exp.part_sum(tokens.start);
        let max = LogitKernels::detect().accumulate(products, bias, sum);
        // Most blocks have no logit that is high enough for the top k, so they are skipped. If k is 0, `min_score` is
        // NaN and the comparison is false.
        if max >= self.best.min_score() {
            let hits = (tokens.start as u32..).zip(&*products);
            hits.for_each(|(ord, &score)| self.best.push(Hit { ord, score }));
        }
    }

    fn merge(&mut self, next: Self) {
        self.log_sum_exp.merge(next.log_sum_exp);
        self.best.append(next.best);
    }
}
