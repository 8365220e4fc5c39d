//! The ranks of given tokens in the projections of vectors.

use std::ops::Range;

use control::Control;
use kernels::Kernels;
use kernels::logits::LogitKernels;

use super::collector::LogitCollector;
use super::log_sum_exp::{LogSumExp, probability};
use super::scan::scan_logits;
use crate::{Error, Head};

/// The rank of a token in a vector's projection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenRank {
    /// From 1, for the most probable token. Of equal logits, the lower id has the lower rank.
    pub rank: u32,
    /// Its logit, E g(e) + b.
    pub logit: f32,
    /// Its probability: the softmax of the logit over the vocabulary.
    pub probability: f64,
}

impl Head {
    /// Returns the ranks of tokens in the projections of the vectors `[rows, dim]`.
    ///
    /// `tokens` has a list of ids for each vector; the result has the same order. The logits are never all in memory. One unit
    /// of progress is one vector. `threads` is the number of threads; 0 means one per CPU.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`]; [`Error::Argument`] if a vector is not finite, if the number of lists is not that of vectors, or if
    /// an id is not in the vocabulary; [`Error::Threads`]; [`Error::Cancelled`].
    pub fn ranks<T: AsRef<[u32]> + Sync>(
        &self,
        vectors: &[f32],
        tokens: &[T],
        threads: usize,
        control: &Control,
    ) -> Result<Vec<Vec<TokenRank>>, Error> {
        let rows = vectors.len() / self.dim;
        if tokens.len() != rows && vectors.len().is_multiple_of(self.dim) {
            return Err(Error::Argument {
                what: "tokens".to_owned(),
                expected: format!("a list for each of {rows} vectors"),
                got: format!("{} lists", tokens.len()),
            });
        }
        let size = self.vocabulary_size;
        for (row, tokens) in tokens.iter().enumerate() {
            if let Some(token) = tokens.as_ref().iter().find(|&&token| token as usize >= size) {
                return Err(Error::Argument {
                    what: format!("tokens[{row}]"),
                    expected: format!("ids below {size}"),
                    got: token.to_string(),
                });
            }
        }
        let collector =
            |row: usize, transformed: &[f32]| RankCounts::new(self, transformed, tokens[row].as_ref());
        let collected = scan_logits(self, vectors, threads, control, collector)?.into_iter().enumerate();
        collected.map(|(row, counts)| counts.ranks(row, tokens[row].as_ref())).collect()
    }
}

/// Counts the tokens that rank before each of some tokens.
struct RankCounts {
    log_sum_exp: LogSumExp,
    /// The tokens, in ascending order, each once.
    tokens: Vec<u32>,
    /// Their logits, with the same bits that the scan computes.
    logits: Vec<f32>,
    /// For each of `tokens`, the number of tokens that rank before it.
    before: Vec<u32>,
}

impl RankCounts {
    fn new(head: &Head, transformed: &[f32], tokens: &[u32]) -> Self {
        let mut tokens = tokens.to_vec();
        tokens.sort_unstable();
        tokens.dedup();
        let logit = |&token: &u32| {
            let row = &head.decoder[token as usize * head.inner_dim..][..head.inner_dim];
            Kernels::detect().dot(transformed, row) + head.bias[token as usize]
        };
        let logits = tokens.iter().map(logit).collect();
        Self { log_sum_exp: LogSumExp::default(), before: vec![0; tokens.len()], tokens, logits }
    }

    fn ranks(&self, row: usize, tokens: &[u32]) -> Result<Vec<TokenRank>, Error> {
        let log_sum_exp = self.log_sum_exp.value(row)?;
        let rank = |token: &u32| {
            let at = self.tokens.binary_search(token).expect("every token was counted for");
            let logit = self.logits[at];
            TokenRank { rank: self.before[at] + 1, logit, probability: probability(logit, log_sum_exp) }
        };
        Ok(tokens.iter().map(rank).collect())
    }
}

impl LogitCollector for RankCounts {
    fn collect(&mut self, tokens: Range<usize>, products: &mut [f32], bias: &[f32]) {
        let kernels = LogitKernels::detect();
        kernels.accumulate(products, bias, self.log_sum_exp.part_sum(tokens.start));
        let from = self.tokens.partition_point(|&token| (token as usize) < tokens.start);
        let to = self.tokens.partition_point(|&token| (token as usize) < tokens.end);
        // Of equal logits, lower ids rank first. A token before this block therefore counts only higher logits in it, and a
        // token after this block counts equal ones too.
        kernels.count_above(products, &self.logits[..from], &mut self.before[..from]);
        kernels.count_at_least(products, &self.logits[to..], &mut self.before[to..]);
        for at in from..to {
            let position = self.tokens[at] as usize - tokens.start;
            let (logit, before) = (&self.logits[at..=at], &mut self.before[at..=at]);
            kernels.count_at_least(&products[..position], logit, before);
            kernels.count_above(&products[position + 1..], logit, before);
        }
    }

    fn merge(&mut self, next: Self) {
        self.log_sum_exp.merge(next.log_sum_exp);
        self.before.iter_mut().zip(next.before).for_each(|(before, more)| *before += more);
    }
}
