//! Rows in half precision: widened block by block, then scored as rows in single precision are.

use std::borrow::Cow;
use std::ops::Range;

use control::{Cancelled, Control};
use kernels::Kernels;
use kernels::half::{HalfFormat, HalfKernels};
use ranking::Hit;

use crate::Error;
use crate::best::Best;
use crate::filter::Filter;
use crate::rows::{Element, Rows};
use crate::shares::search_shares;

/// The greatest finite number.
const GREATEST: f32 = 65_504.0;
/// Queries scored at once.
const GROUP_QUERIES: usize = 48;
/// Numbers of a block of rows: they stay in the first cache level.
const BLOCK_NUMBERS: usize = 1 << 13;
/// Rows of a block at most.
const BLOCK_ROWS: usize = 64;

/// The bits of a number in half precision.
impl Element for u16 {
    fn encode<'a>(dim: usize, vectors: Cow<'a, [f32]>) -> Result<Cow<'a, [Self]>, Error> {
        let mut halves = vec![0; vectors.len()];
        HalfKernels::detect().narrow(HalfFormat::F16, &vectors, &mut halves);
        let infinite = |&half: &u16| half & 0x7fff == 0x7c00;
        match halves.iter().position(infinite) {
            Some(at) => Err(Error::Range {
                operation: "add",
                row: at / dim,
                column: at % dim,
                expected: GREATEST,
                got: vectors[at],
            }),
            None => Ok(Cow::Owned(halves)),
        }
    }

    fn decode(stored: &[Self]) -> Cow<'_, [f32]> {
        Cow::Owned(widened(stored))
    }
}

impl Rows<u16> {
    /// The values of a row.
    pub fn widened_row(&self, ord: u32) -> Vec<f32> {
        widened(self.stored(ord))
    }

    /// The same rows in single precision, in memory.
    pub fn widened(self) -> Rows {
        self.converted(widened)
    }
}

/// The `k` best rows for one prepared query, best first.
pub(crate) fn search(
    rows: &Rows<u16>,
    query: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    Ok(scan(rows, 0..rows.len(), query, k, filter, control)?.pop().unwrap_or_default())
}

/// The `k` best rows for each of the prepared queries `[q * dim]`, best first.
pub(crate) fn search_many(
    rows: &Rows<u16>,
    queries: &[f32],
    k: usize,
    threads: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    search_shares(
        (queries, rows.dim(), GROUP_QUERIES),
        (rows.len(), k),
        threads,
        control,
        |share, queries| scan(rows, share, queries, k, filter, control),
    )
}

/// The `k` best of a range of rows for each of the prepared queries, best first.
fn scan(
    rows: &Rows<u16>,
    range: Range<usize>,
    queries: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Cancelled> {
    let dim = rows.dim();
    let count = queries.len() / dim;
    let mut best = vec![Best::new(k.min(range.len())); count];
    // A few rows for one query, so that they are still near when they are scored; many where they are used often.
    let most = if count > 1 { BLOCK_ROWS } else { (BLOCK_NUMBERS / dim).clamp(4, BLOCK_ROWS) };
    let (mut widened, mut scores) = (Vec::new(), vec![0.0; count * most]);
    let mut start = range.start;
    while k > 0 && start < range.end {
        control.check()?;
        let first = start as u32;
        let allows =
            |at: &u32| rows.is_live(first + at) && filter.is_none_or(|filter| filter.allows(first + at));
        let halves = rows.stored_rows(start, most.min(range.end - start));
        let size = halves.len() / dim;
        start += size;
        let allowed: Vec<u32> = (0..size as u32).filter(allows).collect();
        if allowed.is_empty() {
            continue;
        }
        widened.resize(halves.len(), 0.0);
        HalfKernels::detect().widen(HalfFormat::F16, halves, &mut widened);
        let scores = &mut scores[..count * size];
        rows.similarity().score_block(Kernels::detect(), dim, queries, &widened, scores);
        for (best, scores) in best.iter_mut().zip(scores.chunks_exact(size)) {
            allowed.iter().for_each(|&at| best.offer(Hit { ord: first + at, score: scores[at as usize] }));
        }
    }
    Ok(best.into_iter().map(Best::into_sorted).collect())
}

fn widened(halves: &[u16]) -> Vec<f32> {
    let mut values = vec![0.0; halves.len()];
    HalfKernels::detect().widen(HalfFormat::F16, halves, &mut values);
    values
}
