//! Exact search in shares: of queries, of rows where there are few queries.

use std::ops::Range;

use control::{Cancelled, Control};
use ranking::Hit;
use rayon::prelude::*;

use crate::Error;

/// Fewer rows than this are not worth a thread.
const SHARE_ROWS: usize = 2048;
/// Shares begin at multiples of so many rows: blocks that are scored at once lie in one share.
const BLOCK_ROWS: usize = 64;

/// Splits queries `[q * dim]` into groups of up to `group` and rows into shares, and merges what `search` finds for a
/// group in a share: a list for each query, the best first, of which `k` are kept. Counts each query as one unit done.
pub(crate) fn search_shares(
    (queries, dim, group): (&[f32], usize, usize),
    (rows, k): (usize, usize),
    threads: usize,
    control: &Control,
    search: impl Fn(Range<usize>, &[f32]) -> Result<Vec<Vec<Hit>>, Cancelled> + Sync,
) -> Result<Vec<Vec<Hit>>, Error> {
    let groups: Vec<&[f32]> = queries.chunks(group * dim).collect();
    let threads = threads::resolve(threads);
    let shares = shares(rows, threads, groups.len());
    let search = |queries: &&[f32]| {
        let share = |rows: &Range<usize>| search(rows.clone(), queries);
        let found: Vec<Vec<Vec<Hit>>> = if shares.len() == 1 {
            vec![share(&shares[0])?]
        } else {
            shares.par_iter().map(share).collect::<Result<_, _>>()?
        };
        let merged = merge(found, k);
        control.advance(merged.len() as u64);
        Ok(merged)
    };
    let found: Result<Vec<Vec<Vec<Hit>>>, Cancelled> = threads::install_unless_single(threads, || {
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
fn merge(found: Vec<Vec<Vec<Hit>>>, k: usize) -> Vec<Vec<Hit>> {
    let mut shares = found.into_iter();
    let mut merged = shares.next().unwrap_or_default();
    let mut more = false;
    for share in shares {
        more = true;
        merged.iter_mut().zip(share).for_each(|(hits, found)| hits.extend(found));
    }
    if more {
        for hits in &mut merged {
            // The order is total, so an unstable sort has one outcome.
            hits.sort_unstable_by(ranking::by_rank);
            hits.truncate(k);
        }
    }
    merged
}
