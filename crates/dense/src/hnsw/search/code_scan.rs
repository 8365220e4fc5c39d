//! Brute-force scan over the codes of a set of rows. It is used for sets that are too small for a beam search to pay
//! off, and too large for scoring every vector. It also replaces a filtered beam search that gave up.

use control::{Canceled, Control};
use ranking::{Hit, TopK, by_rank};

use super::rescore::RESCORE_DEVIATIONS;
use crate::RowSet;
use crate::hnsw::codes::{QuantizedQuery, Threshold};
use crate::hnsw::scorer::{ScoreBuffers, Scorer};

/// The number of words of the row set (64 rows each) that form a block, whose rows are scored together.
const WORDS_PER_BLOCK: usize = 4;
/// A block is sparse if less than 1/`SPARSE_BLOCK_DIVISOR` of its rows are in the set. The sketches and codes of a
/// sparse block are prefetched explicitly. For other blocks, the CPU's hardware prefetcher is sufficient.
const SPARSE_BLOCK_DIVISOR: usize = 2;

/// A set of rows as a bitmap that may begin at any multiple of 64.
#[derive(Clone, Copy)]
pub(crate) struct RowWords<'a> {
    /// The row of the lowest bit of the first word.
    pub first: u32,
    pub words: &'a [u64],
}

impl RowWords<'_> {
    /// Iterates over the rows in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (self.first..).step_by(64).zip(self.words).flat_map(|(start, &word)| {
            // Each step clears the lowest set bit.
            let rest = std::iter::successors(Some(word), |rest| Some(rest & (rest - 1)));
            rest.take(word.count_ones() as usize).map(move |rest| start + rest.trailing_zeros())
        })
    }
}

impl<'a> From<&'a RowSet> for RowWords<'a> {
    fn from(set: &'a RowSet) -> Self {
        Self { first: 0, words: set.words() }
    }
}

/// Returns the `allowed` rows that may be among the `k` best, best first by their codes.
///
/// A row's lower and upper bounds are its score by its codes, minus and plus [`RESCORE_DEVIATIONS`] standard deviations
/// of that score's error. A row is left out if at least `k` other rows have lower bounds above its upper bound, or
/// above the corresponding upper bound by its sketch.
pub(crate) fn scan_codes(
    scorer: &Scorer,
    query: &QuantizedQuery,
    allowed: RowWords,
    k: usize,
    control: &Control,
    buffers: &mut ScoreBuffers,
) -> Result<Vec<Hit>, Canceled> {
    let codes = scorer.codes();
    // The k best lower bounds of scores, and the candidates with the upper bounds of their scores.
    let (mut lower_bounds, mut candidates) = (TopK::new(k), Vec::new());
    // The k-th best lower bound so far. A row whose upper bound is below this is left out.
    let mut min_score = f32::NEG_INFINITY;
    let mut block = Vec::with_capacity(64 * WORDS_PER_BLOCK);
    for (at, words) in allowed.words.chunks(WORDS_PER_BLOCK).enumerate() {
        control.check()?;
        block.clear();
        append_rows(&mut block, allowed.first + (64 * WORDS_PER_BLOCK * at) as u32, words);
        let is_dense = block.len() * SPARSE_BLOCK_DIVISOR >= 64 * words.len();
        if min_score > f32::NEG_INFINITY {
            if !is_dense {
                block.iter().for_each(|&row| _ = codes.prefetch_sketch(row));
            }
            let len_before = block.len();
            let threshold = Threshold { min_score, deviations: RESCORE_DEVIATIONS };
            scorer.prune(query, &mut block, threshold, buffers);
            if !is_dense || block.len() < len_before {
                block.iter().for_each(|&row| codes.prefetch(row));
            }
        }
        scorer.score(query, &block, buffers);
        for (&ord, &score) in block.iter().zip(&buffers.scores) {
            let margin = RESCORE_DEVIATIONS * codes.score_deviation(query, ord);
            if score - margin > min_score {
                lower_bounds.push(Hit { ord, score: score - margin });
                min_score = lower_bounds.threshold().map_or(f32::NEG_INFINITY, |worst| worst.score);
            }
            if score + margin >= min_score {
                candidates.push((Hit { ord, score }, score + margin));
            }
        }
    }
    let remaining = candidates.into_iter().filter(|&(_, upper_bound)| upper_bound >= min_score);
    let mut candidates: Vec<Hit> = remaining.map(|(hit, _)| hit).collect();
    candidates.sort_unstable_by(by_rank);
    Ok(candidates)
}

/// Appends to `block` the rows whose bits are set in `words`. The lowest bit of the first word is that of row `first`.
fn append_rows(block: &mut Vec<u32>, first: u32, words: &[u64]) {
    for (start, &word) in (first..).step_by(64).zip(words) {
        if word == u64::MAX {
            block.extend(start..start + 64);
            continue;
        }
        let mut rest = word;
        while rest != 0 {
            block.push(start + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}
