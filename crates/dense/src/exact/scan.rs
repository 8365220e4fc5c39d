//! Brute-force scans over the vectors of all rows: [`scan`] for one query, [`scan_many`] for many. Queries are already
//! [prepared](Similarity::prepare): checked and, for cosine, scaled to length 1.

use std::ops::Range;

use control::{Canceled, Control};
use kernels::{Batch, Kernels, Score};
use ranking::{Hit, TopKBuffer};

use super::work_partition::{Partition, search_partitioned};
use crate::filter::Filter;
use crate::store::element::Element;
use crate::store::rows_view::RowsView;
use crate::{Error, Similarity};

/// Up to this many queries are scored one after the other against each block of rows. For more queries, a [`Batch`] is
/// faster, which copies rows into panels first: that takes as long as scoring them for several queries. Measured with
/// 2,000 and 50,000 rows of 384 dimensions on an AMD EPYC (Zen 4), with AVX-512 and AVX2;
/// `cargo bench -p dense --bench flat -- few_rows` times one to eight queries.
pub(crate) const MAX_UNBATCHED_QUERIES: usize = 3;
/// Maximum number of rows per block in a search without a batch. The scores of a block stay in the L1 cache.
const ROWS_PER_BLOCK: usize = 64;
/// Maximum number of bytes of the rows of such a block, unless one row is larger. They stay in the L2 cache until the
/// last query is scored.
const BLOCK_BYTES: usize = 256 << 10;
/// If less than 1/`SPARSE_BLOCK_DIVISOR` of the rows of a block may be hits, only those are scored, one by one;
/// otherwise the whole block is scored at once.
const SPARSE_BLOCK_DIVISOR: usize = 4;

/// Returns the `k` best rows for one prepared query, best first.
pub(crate) fn scan<T: Element>(
    view: &RowsView<T>,
    query: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Hit>, Canceled> {
    Ok(scan_one(view, 0..view.len(), query, k, filter, control)?.into_sorted())
}

/// Returns the `k` best rows for each of the prepared queries `[q * dim]`, best first.
pub(crate) fn scan_many<T: Element>(
    view: &RowsView<T>,
    queries: &[f32],
    k: usize,
    threads: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    let queries_per_group = queries_per_group(view.dim, queries.len() / view.dim);
    let partition = Partition { dim: view.dim, queries_per_group, num_rows: view.len(), k };
    search_partitioned(queries, partition, threads, control, |rows, queries| {
        let found = scan_range(view, rows, queries, k, filter, control)?;
        Ok(found.into_iter().map(TopKBuffer::into_sorted).collect())
    })
}

/// Returns the number of queries per group; the last group may have fewer. There are as
/// few groups as possible, and none has more than [`Batch::queries_at_once`] queries.
fn queries_per_group(dim: usize, num_queries: usize) -> usize {
    let max = Batch::queries_at_once(Kernels::detect(), dim);
    num_queries.div_ceil(num_queries.div_ceil(max).max(1)).max(1)
}

/// Returns the `k` best of a range of rows for each query of the group `queries`.
fn scan_range<T: Element>(
    view: &RowsView<T>,
    rows: Range<usize>,
    queries: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<TopKBuffer>, Canceled> {
    let num_queries = queries.len() / view.dim;
    if num_queries <= MAX_UNBATCHED_QUERIES {
        return scan_one_by_one(view, rows, queries, k, filter, control);
    }
    let mut best = vec![TopKBuffer::new(k.min(rows.len())); num_queries];
    if k == 0 {
        return Ok(best);
    }
    let score = match view.similarity {
        Similarity::Dot | Similarity::Cosine => Score::Dot,
        Similarity::L2 => Score::NegatedSquaredL2,
    };
    let mut batch = Batch::new(Kernels::detect(), score, view.dim, queries);
    let rows_per_block = batch.rows_at_once();
    let mut buffer = vec![0.0; rows_per_block * view.dim];
    let mut allowed = allowed_rows(view, rows, filter);
    let mut ords: Vec<u32> = allowed.by_ref().take(rows_per_block).collect();
    while let Some(&last) = ords.last() {
        control.check()?;
        let row_buffers = buffer.chunks_exact_mut(view.dim);
        let decoded = ords.iter().zip(row_buffers).map(|(&ord, row)| T::decode_into(view.row(ord), row));
        let block: Vec<&[f32]> = decoded.collect();
        // Prefetched while this block is scored.
        let next_rows = bytemuck::cast_slice(view.rows(last as usize + 1, rows_per_block));
        batch.score(&block, next_rows, |query, at, score| {
            best[query].push(Hit { ord: ords[at], score });
            // The query's new threshold: lower scores are not reported.
            best[query].min_score()
        });
        ords.clear();
        ords.extend(allowed.by_ref().take(rows_per_block));
    }
    Ok(best)
}

/// Returns the `k` best of a range of rows for one query.
pub(crate) fn scan_one<T: Element>(
    view: &RowsView<T>,
    rows: Range<usize>,
    query: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<TopKBuffer, Canceled> {
    let mut best = scan_one_by_one(view, rows, query, k, filter, control)?;
    Ok(best.pop().expect("one query"))
}

/// Returns the `k` best of a range of rows for each of a few queries, which are scored one after the other against each
/// block of rows.
fn scan_one_by_one<T: Element>(
    view: &RowsView<T>,
    rows: Range<usize>,
    queries: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<TopKBuffer>, Canceled> {
    let RowsView { dim, similarity, .. } = *view;
    let mut best = vec![TopKBuffer::new(k.min(rows.len())); queries.len() / dim];
    if k == 0 {
        return Ok(best);
    }
    let mut scores = [0.0; ROWS_PER_BLOCK];
    let all_allowed = filter.is_none() && view.live_len() == view.len();
    let mut allowed = Vec::with_capacity(ROWS_PER_BLOCK);
    let rows_per_block = (BLOCK_BYTES / (dim * size_of::<T>())).clamp(1, ROWS_PER_BLOCK);
    let mut start = rows.start;
    while start < rows.end {
        control.check()?;
        let block = view.rows(start, rows_per_block.min(rows.end - start));
        let size = block.len() / dim;
        let ords = start as u32..(start + size) as u32;
        start += size;
        if !all_allowed {
            allowed.clear();
            allowed.extend(allowed_rows(view, ords.start as usize..ords.end as usize, filter));
            // Both ways to score rows compute the same scores, bit for bit.
            if allowed.len() * SPARSE_BLOCK_DIVISOR < size {
                for (best, query) in best.iter_mut().zip(queries.chunks_exact(dim)) {
                    allowed.iter().for_each(|&ord| best.push(Hit { ord, score: view.score(query, ord) }));
                }
                continue;
            }
        }
        let scores = &mut scores[..size];
        for (best, query) in best.iter_mut().zip(queries.chunks_exact(dim)) {
            similarity.score_rows(query, block, scores);
            // Most blocks have no hit. This loop has no branches, so the compiler vectorizes it, and such blocks are
            // skipped quickly.
            let min_score = best.min_score();
            if !scores.iter().fold(false, |any, &score| any | (score >= min_score)) {
                continue;
            }
            if all_allowed {
                ords.clone().zip(&*scores).for_each(|(ord, &score)| best.push(Hit { ord, score }));
            } else {
                let score = |ord: u32| scores[(ord - ords.start) as usize];
                allowed.iter().for_each(|&ord| best.push(Hit { ord, score: score(ord) }));
            }
        }
    }
    Ok(best)
}

/// Returns the rows of a range that may be hits: those that are live (neither deleted nor staged) and pass the filter.
fn allowed_rows<'a, T: Element>(
    view: &'a RowsView<T>,
    rows: Range<usize>,
    filter: Option<Filter<'a>>,
) -> impl Iterator<Item = u32> + 'a {
    (rows.start as u32..rows.end as u32)
        .filter(move |&ord| view.is_live(ord) && filter.is_none_or(|filter| filter.allows(ord)))
}
