//! Splits an exact search among threads: by queries and, if there are few queries, also by rows.

use std::ops::Range;

use control::{Canceled, Control};
use ranking::Hit;
use rayon::prelude::*;

use crate::Error;

/// The minimum number of rows in a part (a range of rows that one task scores), except in the last part. Scoring fewer
/// rows is too little work for a task.
const MIN_ROWS_PER_PART: usize = 2048;
/// Parts begin at multiples of this number of rows, so that a block of rows that is scored at once lies in one part.
const PART_ALIGNMENT: usize = 64;
/// Number of parts per thread. With more than one, threads that finish early take over parts of the others.
const PARTS_PER_THREAD: usize = 2;

/// The sizes that decide how a search is split.
#[derive(Clone, Copy)]
pub(crate) struct Partition {
    pub dim: usize,
    /// The number of queries in a group, which are searched together; the last group may have fewer.
    pub queries_per_group: usize,
    pub num_rows: usize,
    /// The number of hits to return per query.
    pub k: usize,
}

/// Splits queries `[q * dim]` into groups and rows into parts, calls `search` for each pair of a part and a group, and
/// merges the results into one list per query, best first. Counts each query as one unit of progress.
pub(crate) fn search_partitioned(
    queries: &[f32],
    partition: Partition,
    threads: usize,
    control: &Control,
    search: impl Fn(Range<usize>, &[f32]) -> Result<Vec<Vec<Hit>>, Canceled> + Sync,
) -> Result<Vec<Vec<Hit>>, Error> {
    let Partition { dim, queries_per_group, num_rows, k } = partition;
    let groups: Vec<&[f32]> = queries.chunks(queries_per_group * dim).collect();
    let threads = threads::resolve(threads);
    let parts = split_rows(num_rows, threads, groups.len());
    let search_group = |queries: &&[f32]| {
        let search_part = |rows: &Range<usize>| search(rows.clone(), queries);
        let found: Vec<Vec<Vec<Hit>>> = if parts.len() == 1 {
            vec![search_part(&parts[0])?]
        } else {
            parts.par_iter().map(search_part).collect::<Result<_, _>>()?
        };
        let merged = merge(found, k);
        control.advance(merged.len() as u64);
        Ok(merged)
    };
    let found: Result<Vec<Vec<Vec<Hit>>>, Canceled> = threads::install_unless_single(threads, || {
        if threads == 1 {
            groups.iter().map(search_group).collect()
        } else {
            groups.par_iter().map(search_group).collect()
        }
    })?;
    Ok(found?.into_iter().flatten().collect())
}

/// Splits the rows into enough parts to keep all threads busy. If the groups of queries alone are enough for that,
/// there is one part.
fn split_rows(num_rows: usize, threads: usize, num_groups: usize) -> Vec<Range<usize>> {
    let num_parts = if threads == 1 { 1 } else { (PARTS_PER_THREAD * threads).div_ceil(num_groups.max(1)) };
    let size = num_rows.div_ceil(num_parts).max(MIN_ROWS_PER_PART).next_multiple_of(PART_ALIGNMENT);
    (0..num_rows.max(1)).step_by(size).map(|start| start..num_rows.min(start + size)).collect()
}

/// Merges the hits of all parts. `found` has one list of hits per part and query; the result has one per query.
fn merge(found: Vec<Vec<Vec<Hit>>>, k: usize) -> Vec<Vec<Hit>> {
    let is_split = found.len() > 1;
    let mut parts = found.into_iter();
    let mut merged = parts.next().unwrap_or_default();
    for part in parts {
        merged.iter_mut().zip(part).for_each(|(hits, found)| hits.extend(found));
    }
    if is_split {
        for hits in &mut merged {
            // `by_rank` is a total order, so the result of the unstable sort is unique.
            hits.sort_unstable_by(ranking::by_rank);
            hits.truncate(k);
        }
    }
    merged
}
