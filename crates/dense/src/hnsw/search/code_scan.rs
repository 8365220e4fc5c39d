//! The search of rows that are too few for a walk, and too many to score each.

use control::{Cancelled, Control};
use ranking::{Hit, TopK, by_rank};

use super::rescore::DEVIATIONS;
use crate::RowSet;
use crate::hnsw::codes::{Reach, Target};
use crate::hnsw::scorer::{Closeness, Work};

/// Words of a set of rows whose rows are compared at once.
const BLOCK_WORDS: usize = 4;
/// Of a block whose rows are at least one in so many, lines come without being asked for.
const CLOSE: usize = 2;

/// Of the `allowed` rows those that may be among the `k` best as their codes have it, the nearest first: a row is left out if `k`
/// others are nearer though they were judged too near and it too far by [`DEVIATIONS`].
pub(crate) fn sweep(
    closeness: &Closeness,
    target: &Target,
    allowed: &RowSet,
    k: usize,
    control: &Control,
    work: &mut Work,
) -> Result<Vec<Hit>, Cancelled> {
    let codes = closeness.codes();
    let (mut low, mut high) = (TopK::new(k), Vec::new());
    // What is surely not as near, with those deviations, is not among the best.
    let mut least = f32::NEG_INFINITY;
    let mut block = Vec::with_capacity(64 * BLOCK_WORDS);
    for (at, words) in allowed.words().chunks(BLOCK_WORDS).enumerate() {
        control.check()?;
        block.clear();
        extend(&mut block, (64 * BLOCK_WORDS * at) as u32, words);
        let close = block.len() * CLOSE >= 64 * words.len();
        if least > f32::NEG_INFINITY {
            if !close {
                block.iter().for_each(|&row| _ = codes.prefetch_rough(row));
            }
            let before = block.len();
            closeness.reaching(target, &mut block, Reach { least, deviations: DEVIATIONS }, work);
            if !close || block.len() < before {
                block.iter().for_each(|&row| codes.prefetch(row));
            }
        }
        closeness.all(target, &block, work);
        for (&ord, &score) in block.iter().zip(&work.closeness) {
            let off = DEVIATIONS * codes.deviation(target, ord);
            if score - off > least {
                low.push(Hit { ord, score: score - off });
                least = low.threshold().map_or(f32::NEG_INFINITY, |least| least.score);
            }
            if score + off >= least {
                high.push((Hit { ord, score }, score + off));
            }
        }
    }
    let mut candidates: Vec<Hit> =
        high.into_iter().filter(|&(_, high)| high >= least).map(|(hit, _)| hit).collect();
    candidates.sort_unstable_by(by_rank);
    Ok(candidates)
}

/// Appends the rows of these words, of which the first begins with row `first`.
fn extend(block: &mut Vec<u32>, first: u32, words: &[u64]) {
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
