//! Exact search in shares: of queries, of rows where there are few queries.

use std::ops::Range;

use control::{Cancelled, Control};
use kernels::Kernels;
use ranking::{Hit, TopK};
use rayon::prelude::*;

use crate::rows::View;
use crate::scan::Filter;
use crate::{Error, Similarity, pool};

/// Fewer rows than this are not worth a thread.
const SHARE_ROWS: usize = 2048;
/// Numbers of a block of rows: they stay in the first cache level.
const BLOCK_NUMBERS: usize = 1 << 12;
/// Rows of a block at most.
const BLOCK_ROWS: usize = 64;

/// Splits queries `[q * dim]` into groups of up to `group` and rows into shares, and merges what `search` finds for a
/// group in a share: the best first, `k` for each query. Counts each query as one unit done.
pub(crate) fn search_shares(
    (queries, dim, group): (&[f32], usize, usize),
    (rows, k): (usize, usize),
    threads: usize,
    control: &Control,
    search: impl Fn(Range<usize>, &[f32]) -> Result<Vec<TopK>, Cancelled> + Sync,
) -> Result<Vec<Vec<Hit>>, Error> {
    let groups: Vec<&[f32]> = queries.chunks(group * dim).collect();
    let threads = pool::resolve(threads);
    let shares = shares(rows, threads, groups.len());
    let search = |queries: &&[f32]| {
        let share = |rows: &Range<usize>| search(rows.clone(), queries);
        let found: Vec<Vec<TopK>> = if shares.len() == 1 {
            vec![share(&shares[0])?]
        } else {
            shares.par_iter().map(share).collect::<Result<_, _>>()?
        };
        let merged = merge(found, k);
        control.advance(merged.len() as u64);
        Ok(merged)
    };
    let found: Result<Vec<Vec<Vec<Hit>>>, Cancelled> = pool::run(threads, || {
        if threads == 1 {
            groups.iter().map(search).collect()
        } else {
            groups.par_iter().map(search).collect()
        }
    })?;
    Ok(found?.into_iter().flatten().collect())
}

/// The rows in as many ranges as keep all threads busy: one where there are enough groups of queries for that.
fn shares(rows: usize, threads: usize, groups: usize) -> Vec<Range<usize>> {
    let wanted = if threads == 1 { 1 } else { (2 * threads).div_ceil(groups.max(1)) };
    let size = rows.div_ceil(wanted).max(SHARE_ROWS).next_multiple_of(BLOCK_ROWS);
    (0..rows.max(1)).step_by(size).map(|start| start..rows.min(start + size)).collect()
}

/// Merges what the shares found for each query.
fn merge(found: Vec<Vec<TopK>>, k: usize) -> Vec<Vec<Hit>> {
    let mut shares = found.into_iter();
    let first = shares.next().unwrap_or_default();
    let mut merged: Vec<Vec<Hit>> = first.into_iter().map(TopK::into_sorted).collect();
    for share in shares {
        for (hits, best) in merged.iter_mut().zip(share) {
            hits.extend(best.into_sorted());
            // The order is total, so an unstable sort has one outcome.
            hits.sort_unstable_by(ranking::by_rank);
            hits.truncate(k);
        }
    }
    merged
}

/// Rows that are scored in single precision.
pub(crate) trait Source: Sync {
    fn dim(&self) -> usize;
    fn similarity(&self) -> Similarity;
    fn is_live(&self, ord: u32) -> bool;
    /// Consecutive rows from `start`, up to `most`, in place or in `room`.
    fn block<'a>(&'a self, start: usize, most: usize, room: &'a mut Vec<f32>) -> &'a [f32];
}

impl Source for View<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn similarity(&self) -> Similarity {
        self.similarity
    }

    fn is_live(&self, ord: u32) -> bool {
        View::is_live(self, ord)
    }

    fn block<'a>(&'a self, start: usize, most: usize, _: &'a mut Vec<f32>) -> &'a [f32] {
        self.rows(start, most)
    }
}

/// The `k` best of a range of rows for each of the prepared queries, by scoring all.
pub(crate) fn scan_source(
    source: &impl Source,
    rows: Range<usize>,
    queries: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<TopK>, Cancelled> {
    let dim = source.dim();
    let count = queries.len() / dim;
    let mut best = vec![TopK::new(k.min(rows.len())); count];
    // A few rows for one query, so that they are still near when they are scored; many where they are used often.
    let most = if count > 1 { BLOCK_ROWS } else { (BLOCK_NUMBERS / dim).clamp(4, BLOCK_ROWS) };
    let (mut room, mut scores, mut allowed) = (Vec::new(), vec![0.0; count * most], Vec::new());
    let mut start = rows.start;
    while k > 0 && start < rows.end {
        control.check()?;
        let first = start as u32;
        let allows = |at: &u32| source.is_live(first + at) && filter.is_none_or(|allows| allows(first + at));
        let block = source.block(start, most.min(rows.end - start), &mut room);
        let size = block.len() / dim;
        start += size;
        allowed.clear();
        allowed.extend((0..size as u32).filter(allows));
        if allowed.is_empty() {
            continue;
        }
        let scores = &mut scores[..count * size];
        source.similarity().score_block(Kernels::detect(), dim, queries, block, scores);
        for (best, scores) in best.iter_mut().zip(scores.chunks_exact(size)) {
            for &at in &allowed {
                let score = scores[at as usize];
                // A later row with the worst kept score ranks behind it.
                if best.threshold().is_none_or(|worst| score > worst.score) {
                    offer(best, Hit { ord: first + at, score });
                }
            }
        }
    }
    Ok(best)
}

/// Offers a hit. NaN, which only a file made by hand can bring, is not kept.
pub(crate) fn offer(best: &mut TopK, hit: Hit) {
    if !hit.score.is_nan() {
        best.push(hit);
    }
}
