//! Exact search: every row is scored, the best are kept.

use std::ops::Range;

use control::{Cancelled, Control};
use kernels::{Batch, Kernels, Score};
use ranking::{Hit, TopKBuffer};

use crate::exact::work_partition::search_shares;
use crate::filter::Filter;
use crate::store::element::Element;
use crate::store::rows_view::View;
use crate::{Error, Similarity};

/// Rows scored at once for one query: their scores stay in the first cache level.
const BLOCK_ROWS: usize = 64;

/// The `k` best rows for one prepared query, best first.
pub(crate) fn scan<T: Element>(
    view: &View<T>,
    query: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Hit>, Cancelled> {
    Ok(scan_one(view, 0..view.len(), query, k, filter, control)?.into_sorted())
}

/// The `k` best rows for each of the prepared queries `[q * dim]`, best first.
pub(crate) fn scan_many<T: Element>(
    view: &View<T>,
    queries: &[f32],
    k: usize,
    threads: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    let group = group_queries(view.dim, queries.len() / view.dim);
    search_shares((queries, view.dim, group), (view.len(), k), threads, control, |rows, queries| {
        let found = scan_share(view, rows, queries, k, filter, control)?;
        Ok(found.into_iter().map(TopKBuffer::into_sorted).collect())
    })
}

/// How many queries are scored at once: as many as a batch takes, or an equal part of all.
fn group_queries(dim: usize, count: usize) -> usize {
    let most = Batch::queries_at_once(Kernels::detect(), dim);
    count.div_ceil(count.div_ceil(most).max(1)).max(1)
}

/// The `k` best of a range of rows for each query of a group.
fn scan_share<T: Element>(
    view: &View<T>,
    rows: Range<usize>,
    queries: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<TopKBuffer>, Cancelled> {
    let count = queries.len() / view.dim;
    if count == 1 {
        return Ok(vec![scan_one(view, rows, queries, k, filter, control)?]);
    }
    let mut best = vec![TopKBuffer::new(k.min(rows.len())); count];
    if k == 0 {
        return Ok(best);
    }
    let score = match view.similarity {
        Similarity::Dot | Similarity::Cosine => Score::Dot,
        Similarity::L2 => Score::NegatedSquaredL2,
    };
    let mut batch = Batch::new(Kernels::detect(), score, view.dim, queries);
    let most = batch.rows_at_once();
    let mut room = vec![0.0; most * view.dim];
    let mut allowed = allowed(view, rows, filter);
    let mut ords: Vec<u32> = allowed.by_ref().take(most).collect();
    while let Some(&last) = ords.last() {
        control.check()?;
        let rooms = room.chunks_exact_mut(view.dim);
        let block = ords.iter().zip(rooms).map(|(&ord, room)| T::decode_into(view.row(ord), room));
        let block: Vec<&[f32]> = block.collect();
        let ahead = bytemuck::cast_slice(view.rows(last as usize + 1, most));
        batch.score(&block, ahead, |query, at, score| {
            best[query].push(Hit { ord: ords[at], score });
            best[query].min_score()
        });
        ords.clear();
        ords.extend(allowed.by_ref().take(most));
    }
    Ok(best)
}

/// The `k` best of a range of rows for one query.
pub(crate) fn scan_one<T: Element>(
    view: &View<T>,
    rows: Range<usize>,
    query: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<TopKBuffer, Cancelled> {
    let mut best = TopKBuffer::new(k.min(rows.len()));
    if k == 0 {
        return Ok(best);
    }
    let mut scores = [0.0; BLOCK_ROWS];
    let all_allowed = filter.is_none() && view.live_len() == view.len();
    let mut wanted = Vec::with_capacity(BLOCK_ROWS);
    let mut start = rows.start;
    while start < rows.end {
        control.check()?;
        let block = view.rows(start, BLOCK_ROWS.min(rows.end - start));
        let size = block.len() / view.dim;
        let ords = start as u32..(start + size) as u32;
        start += size;
        let scores = &mut scores[..size];
        if all_allowed {
            view.similarity.score_rows(query, block, scores);
            // Most blocks have nothing, which is found out for many rows at a time.
            let min_score = best.min_score();
            if scores.iter().fold(false, |any, &score| any | (score >= min_score)) {
                ords.zip(scores).for_each(|(ord, &mut score)| best.push(Hit { ord, score }));
            }
            continue;
        }
        wanted.clear();
        wanted.extend(allowed(view, ords.start as usize..ords.end as usize, filter));
        // Few rows are cheaper scored alone; a score is the same either way.
        if wanted.len() * 4 < size {
            wanted.iter().for_each(|&ord| best.push(Hit { ord, score: view.score(query, ord) }));
        } else {
            view.similarity.score_rows(query, block, scores);
            let score = |ord: u32| scores[(ord - ords.start) as usize];
            wanted.iter().for_each(|&ord| best.push(Hit { ord, score: score(ord) }));
        }
    }
    Ok(best)
}

/// The rows of a range that may be hits.
fn allowed<'a, T: Element>(
    view: &'a View<T>,
    rows: Range<usize>,
    filter: Option<Filter<'a>>,
) -> impl Iterator<Item = u32> + 'a {
    (rows.start as u32..rows.end as u32)
        .filter(move |&ord| view.is_live(ord) && filter.is_none_or(|filter| filter.allows(ord)))
}
