use std::ops::Range;

use control::Control;
use kernels::logits::LogitKernels;
use ranking::{Hit, TopKBuffer};

use super::collector::LogitCollector;
use super::log_sum_exp::LogSumExp;
use super::scan::scan_logits;
use crate::{Error, Head};

/// A token of a vector's projection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenScore {
    /// Its id in the vocabulary.
    pub token: u32,
    /// E g(e) + b at its place.
    pub logit: f32,
    /// The softmax of all logits at its place.
    pub probability: f64,
}

impl Head {
    /// The `k` likeliest tokens of each of the vectors `[rows, dim]`, the likeliest first, of equal ones the lower id; all if
    /// the vocabulary has fewer. Logits are never all in memory. Counts each vector as one unit done; 0 `threads` are one for
    /// each CPU.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`]; [`Error::Argument`] for vectors that are not finite; [`Error::Cancelled`]
    pub fn project(
        &self,
        vectors: &[f32],
        k: usize,
        threads: usize,
        control: &Control,
    ) -> Result<Vec<Vec<TokenScore>>, Error> {
        let k = k.min(self.vocabulary);
        let make = |_: usize, _: &[f32]| Likeliest { total: LogSumExp::default(), best: TopKBuffer::new(k) };
        let found = scan_logits(self, vectors, threads, control, make)?;
        found.into_iter().enumerate().map(|(row, found)| found.tokens(row)).collect()
    }
}

/// The likeliest tokens so far, and the sum over all so far.
struct Likeliest {
    total: LogSumExp,
    best: TopKBuffer,
}

impl Likeliest {
    fn tokens(self, row: usize) -> Result<Vec<TokenScore>, Error> {
        let total = self.total.logarithm(row)?;
        let tokens = self.best.into_sorted().into_iter();
        Ok(tokens.map(|hit| TokenScore::new(hit.ord, hit.score, total)).collect())
    }
}

impl TokenScore {
    /// `total` is the logarithm of the sum of all exponentials.
    pub(crate) fn new(token: u32, logit: f32, total: f64) -> Self {
        Self { token, logit, probability: probability(logit, total) }
    }
}

/// The softmax of a logit.
pub(crate) fn probability(logit: f32, total: f64) -> f64 {
    libm::exp(f64::from(logit) - total)
}

impl LogitCollector for Likeliest {
    fn block(&mut self, tokens: Range<usize>, products: &mut [f32], bias: &[f32]) {
        let most = LogitKernels::detect().accumulate(products, bias, self.total.of(tokens.start));
        // Most blocks have no logit that is high enough. NaN, if none is wanted, is reached by none.
        if most >= self.best.min_score() {
            let hits = (tokens.start as u32..).zip(&*products);
            hits.for_each(|(ord, &score)| self.best.push(Hit { ord, score }));
        }
    }

    fn merge(&mut self, next: Self) {
        self.total.merge(next.total);
        self.best.append(next.best);
    }
}
