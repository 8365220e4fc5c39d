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
    /// The token's rank, from 1 for the most probable token. If logits are equal, the lower id ranks first.
    pub rank: u32,
    /// The token's logit: its entry of E g(e) + b (see [`Head`]).
    pub logit: f32,
    /// The token's probability: its entry of the softmax over the logits of the vocabulary.
    pub probability: f64,
}

impl Head {
    /// Returns the ranks of tokens in the projections of the vectors `[rows, dim]`.
    ///
    /// `tokens` has a list of token ids for each vector, and the result has their ranks in the same order. The logits
    /// of the whole vocabulary are never in memory at once. One unit of progress is one vector. `threads` is the number
    /// of threads; 0 means one per CPU.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`]; [`Error::Argument`] if a vector is not finite or overflows in the head, if there is not
    /// one list per vector, or if an id is not in the vocabulary; [`Error::Threads`]; [`Error::Canceled`].
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

/// Counts, for each of the requested tokens, the tokens that rank higher.
struct RankCounts {
    log_sum_exp: LogSumExp,
    /// The distinct requested tokens, in ascending order.
    tokens: Vec<u32>,
    /// Their logits, with the same bits that the scan computes.
    logits: Vec<f32>,
    /// For each of `tokens`, the number of tokens that rank higher.
    higher_counts: Vec<u32>,
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
        Self { log_sum_exp: LogSumExp::default(), higher_counts: vec![0; tokens.len()], tokens, logits }
    }

    fn ranks(&self, row: usize, tokens: &[u32]) -> Result<Vec<TokenRank>, Error> {
        let log_sum_exp = self.log_sum_exp.value(row)?;
        let rank = |token: &u32| {
            let at = self.tokens.binary_search(token).expect("every requested token is in the list");
            let logit = self.logits[at];
            TokenRank {
                rank: self.higher_counts[at] + 1,
                logit,
                probability: probability(logit, log_sum_exp),
            }
        };
        Ok(tokens.iter().map(rank).collect())
    }
}

impl LogitCollector for RankCounts {
    fn collect(&mut self, tokens: Range<usize>, products: &mut [f32], bias: &[f32]) {
        let kernels = LogitKernels::detect();
        // Also adds the bias to the products, which are then the logits.
        kernels.accumulate(products, bias, self.log_sum_exp.part_sum(tokens.start));
        let from = self.tokens.partition_point(|&token| (token as usize) < tokens.start);
        let to = self.tokens.partition_point(|&token| (token as usize) < tokens.end);
        // If logits are equal, the lower id ranks higher. For a requested token with an id below this block, only
        // tokens of the block with greater logits rank higher. For a requested token with an id above this block,
        // tokens of the block with equal logits rank higher too.
        kernels.count_above(products, &self.logits[..from], &mut self.higher_counts[..from]);
        kernels.count_at_least(products, &self.logits[to..], &mut self.higher_counts[to..]);
        for at in from..to {
            let position = self.tokens[at] as usize - tokens.start;
            let (logit, count) = (&self.logits[at..=at], &mut self.higher_counts[at..=at]);
            kernels.count_at_least(&products[..position], logit, count);
            kernels.count_above(&products[position + 1..], logit, count);
        }
    }

    fn merge(&mut self, next: Self) {
        self.log_sum_exp.merge(next.log_sum_exp);
        self.higher_counts.iter_mut().zip(next.higher_counts).for_each(|(count, next)| *count += next);
    }
}
