//! Brute-force scan over the codes of a set of rows: for sets too small for a beam search, and too large to score each vector.

use control::{Cancelled, Control};
use ranking::{Hit, TopK, by_rank};

use super::rescore::RESCORE_DEVIATIONS;
use crate::RowSet;
use crate::hnsw::codes::{QuantizedQuery, Threshold};
use crate::hnsw::scorer::{ScoreBuffers, Scorer};

/// Words of the set whose rows are scored together.
const WORDS_PER_BLOCK: usize = 4;
/// If at least one in this many rows of a block is in the set, the hardware prefetches their lines.
const MAX_GAP_PREFETCHED_BY_HARDWARE: usize = 2;

/// Returns the `allowed` rows that may be among the `k` best, best first by their codes. A row is left out if at least `k`
/// others are better even when the scores of both are off by [`RESCORE_DEVIATIONS`] standard deviations.
pub(crate) fn scan_codes(
    scorer: &Scorer,
    query: &QuantizedQuery,
    allowed: &RowSet,
    k: usize,
    control: &Control,
    buffers: &mut ScoreBuffers,
) -> Result<Vec<Hit>, Cancelled> {
    let codes = scorer.codes();
    // The k best lower bounds, and the candidates with their upper bounds.
    let (mut lower_bounds, mut candidates) = (TopK::new(k), Vec::new());
    // The k-th best lower bound: a row whose upper bound is below it is not among the k best.
    let mut min_score = f32::NEG_INFINITY;
    let mut block = Vec::with_capacity(64 * WORDS_PER_BLOCK);
    for (at, words) in allowed.words().chunks(WORDS_PER_BLOCK).enumerate() {
        control.check()?;
        block.clear();
        append_rows(&mut block, (64 * WORDS_PER_BLOCK * at) as u32, words);
        let is_dense = block.len() * MAX_GAP_PREFETCHED_BY_HARDWARE >= 64 * words.len();
        if min_score > f32::NEG_INFINITY {
            if !is_dense {
                block.iter().for_each(|&row| _ = codes.prefetch_sketch(row));
            }
            let before = block.len();
            let threshold = Threshold { min_score, deviations: RESCORE_DEVIATIONS };
            scorer.prefilter(query, &mut block, threshold, buffers);
            if !is_dense || block.len() < before {
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
    let reaching = candidates.into_iter().filter(|&(_, upper_bound)| upper_bound >= min_score);
    let mut candidates: Vec<Hit> = reaching.map(|(hit, _)| hit).collect();
    candidates.sort_unstable_by(by_rank);
    Ok(candidates)
}

/// Appends the rows of `words`, of which the first is the word of row `first`.
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
