use std::ops::Range;

use control::Control;
use kernels::Kernels;
use kernels::logits::LogitKernels;

use super::collector::LogitCollector;
use super::log_sum_exp::LogSumExp;
use super::scan::scan_logits;
use super::top_tokens::probability;
use crate::{Error, Head};

/// Where a token stands in a vector's projection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenRank {
    /// From 1, the likeliest; of equal logits the lower id stands first.
    pub rank: u32,
    /// E g(e) + b at its place.
    pub logit: f32,
    /// The softmax of all logits at its place.
    pub probability: f64,
}

impl Head {
    /// Where tokens stand in the projections of the vectors `[rows, dim]`: `tokens` has a list of ids for each vector, and
    /// what comes back has the same order. Logits are never all in memory. Counts each vector as one unit done; 0 `threads`
    /// are one for each CPU.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`]; [`Error::Argument`] for vectors that are not finite, another number of lists than of vectors, or
    /// ids that the vocabulary does not have; [`Error::Cancelled`]
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
        for (row, tokens) in tokens.iter().enumerate() {
            if let Some(token) = tokens.as_ref().iter().find(|&&token| token as usize >= self.vocabulary) {
                return Err(Error::Argument {
                    what: format!("tokens[{row}]"),
                    expected: format!("ids below {}", self.vocabulary),
                    got: token.to_string(),
                });
            }
        }
        let make = |row: usize, transformed: &[f32]| Ranked::new(self, transformed, tokens[row].as_ref());
        let found = scan_logits(self, vectors, threads, control, make)?.into_iter().enumerate();
        found.map(|(row, found)| found.ranks(row, tokens[row].as_ref())).collect()
    }
}

/// Counts what stands before each of some tokens.
struct Ranked {
    total: LogSumExp,
    /// Ascending, each once.
    tokens: Vec<u32>,
    /// Their logits, with the bits that they have in a block.
    logits: Vec<f32>,
    before: Vec<u32>,
}

impl Ranked {
    fn new(head: &Head, transformed: &[f32], tokens: &[u32]) -> Self {
        let mut tokens = tokens.to_vec();
        tokens.sort_unstable();
        tokens.dedup();
        let logit = |&token: &u32| {
            let row = &head.decoder[token as usize * head.inner..][..head.inner];
            Kernels::detect().dot(transformed, row) + head.bias[token as usize]
        };
        let logits = tokens.iter().map(logit).collect();
        Self { total: LogSumExp::default(), before: vec![0; tokens.len()], tokens, logits }
    }

    fn ranks(&self, row: usize, tokens: &[u32]) -> Result<Vec<TokenRank>, Error> {
        let total = self.total.logarithm(row)?;
        let rank = |token: &u32| {
            let at = self.tokens.binary_search(token).expect("every token was counted for");
            let logit = self.logits[at];
            TokenRank { rank: self.before[at] + 1, logit, probability: probability(logit, total) }
        };
        Ok(tokens.iter().map(rank).collect())
    }
}

impl LogitCollector for Ranked {
    fn block(&mut self, tokens: Range<usize>, products: &mut [f32], bias: &[f32]) {
        let kernels = LogitKernels::detect();
        kernels.accumulate(products, bias, self.total.of(tokens.start));
        let from = self.tokens.partition_point(|&token| (token as usize) < tokens.start);
        let to = self.tokens.partition_point(|&token| (token as usize) < tokens.end);
        // Of equal logits those of lower ids stand before: for a token of an earlier block none of these, of a later one all.
        kernels.count_above(products, &self.logits[..from], &mut self.before[..from]);
        kernels.count_at_least(products, &self.logits[to..], &mut self.before[to..]);
        for at in from..to {
            let here = self.tokens[at] as usize - tokens.start;
            let (logit, before) = (&self.logits[at..=at], &mut self.before[at..=at]);
            kernels.count_at_least(&products[..here], logit, before);
            kernels.count_above(&products[here + 1..], logit, before);
        }
    }

    fn merge(&mut self, next: Self) {
        self.total.merge(next.total);
        self.before.iter_mut().zip(next.before).for_each(|(before, more)| *before += more);
    }
}
