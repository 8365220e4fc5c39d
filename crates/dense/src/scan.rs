//! Exact search: every row is scored, the best are kept.

use std::ops::Range;

use control::{Cancelled, Control};
use ranking::{Hit, TopK};
use rayon::prelude::*;

use crate::rows::View;
use crate::{Error, pool};

/// Says of an ord whether it may be a hit. It is called from several threads and must always give the same answer.
pub type Filter<'a> = &'a (dyn Fn(u32) -> bool + Sync);

/// Rows scored at once: their scores stay in the first cache level.
const BLOCK_ROWS: usize = 64;
/// Queries scored at once, a multiple of those that kernels hold in registers: they stay in the second level.
const GROUP_QUERIES: usize = 48;
/// Fewer rows than this are not worth a thread.
const SHARE_ROWS: usize = 2048;

/// The `k` best rows for one prepared query, best first.
pub(crate) fn scan(
    view: &View,
    query: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Hit>, Cancelled> {
    let mut found = scan_share(view, 0..view.len(), query, k, filter, control)?;
    Ok(found.pop().map(TopK::into_sorted).unwrap_or_default())
}

/// The `k` best rows for each of the prepared queries `[q * dim]`, best first.
pub(crate) fn scan_many(
    view: &View,
    queries: &[f32],
    k: usize,
    threads: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    let groups: Vec<&[f32]> = queries.chunks(GROUP_QUERIES * view.dim).collect();
    let threads = pool::resolve(threads);
    let shares = shares(view.len(), threads, groups.len());
    let search = |queries: &&[f32]| {
        let share = |rows: &Range<usize>| scan_share(view, rows.clone(), queries, k, filter, control);
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
    let starts = (0..rows.max(1)).step_by(size);
    starts.map(|start| start..rows.min(start + size)).collect()
}

/// Merges what the shares found for each query.
fn merge(mut found: Vec<Vec<TopK>>, k: usize) -> Vec<Vec<Hit>> {
    let Some(first) = found.pop() else { return Vec::new() };
    if found.is_empty() {
        return first.into_iter().map(TopK::into_sorted).collect();
    }
    let mut merged: Vec<Vec<Hit>> = first.into_iter().map(TopK::into_sorted).collect();
    for share in found {
        for (hits, best) in merged.iter_mut().zip(share) {
            hits.extend(best.into_sorted());
        }
    }
    for hits in &mut merged {
        // The order is total, so an unstable sort has one outcome.
        hits.sort_unstable_by(ranking::by_rank);
        hits.truncate(k);
    }
    merged
}

/// The `k` best of a range of rows for each query of a group.
fn scan_share(
    view: &View,
    rows: Range<usize>,
    queries: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<TopK>, Cancelled> {
    let count = queries.len() / view.dim;
    let mut best = vec![TopK::new(k.min(rows.len())); count];
    if k == 0 {
        return Ok(best);
    }
    let mut scores = vec![0.0; count * BLOCK_ROWS];
    let mut allowed = Vec::with_capacity(BLOCK_ROWS);
    let all_allowed = filter.is_none() && view.live_len() == view.len();
    let mut start = rows.start;
    while start < rows.end {
        control.check()?;
        let block = view.rows(start, BLOCK_ROWS.min(rows.end - start));
        let size = block.len() / view.dim;
        let ords = start as u32..(start + size) as u32;
        start += size;
        if all_allowed {
            let scores = &mut scores[..count * size];
            view.similarity.score_block(view.kernels, view.dim, queries, block, scores);
            for (best, scores) in best.iter_mut().zip(scores.chunks_exact(size)) {
                offer(best, ords.clone().zip(scores.iter().copied()));
            }
            continue;
        }
        allowed.clear();
        allowed
            .extend(ords.clone().filter(|&ord| view.is_live(ord) && filter.is_none_or(|allows| allows(ord))));
        // Few rows are cheaper scored alone; a score is the same either way.
        if allowed.len() * 4 < size {
            for (best, query) in best.iter_mut().zip(queries.chunks_exact(view.dim)) {
                offer(best, allowed.iter().map(|&ord| (ord, view.score(query, ord))));
            }
        } else {
            let scores = &mut scores[..count * size];
            view.similarity.score_block(view.kernels, view.dim, queries, block, scores);
            for (best, scores) in best.iter_mut().zip(scores.chunks_exact(size)) {
                offer(best, allowed.iter().map(|&ord| (ord, scores[(ord - ords.start) as usize])));
            }
        }
    }
    Ok(best)
}

/// Offers scored rows in ascending order of ords.
fn offer(best: &mut TopK, scored: impl Iterator<Item = (u32, f32)>) {
    let mut least = best.threshold().map(|worst| worst.score);
    for (ord, score) in scored {
        // A later row with the worst kept score ranks behind it. NaN, which only a file made by hand can
        // bring, is neither above nor kept.
        if least.map_or(!score.is_nan(), |least| score > least) {
            best.push(Hit { ord, score });
            least = best.threshold().map(|worst| worst.score);
        }
    }
}
