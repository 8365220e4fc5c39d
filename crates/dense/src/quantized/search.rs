use std::ops::Range;

use control::{Cancelled, Control};
use kernels::int8::{BOUND_ROWS, Int8Bound, Int8Kernels, Int8RowBounds};
use ranking::Hit;

use super::Shadow;
use super::candidates::Candidates;
use super::quantized_rows::ShadowBlock;
use super::score_bounds::Coded;
use crate::Error;
use crate::exact::scan::{scan, scan_many, scan_one};
use crate::exact::work_partition::search_shares;
use crate::filter::Filter;
use crate::store::rows_view::View;

/// Queries multiplied at once: with a block of rows they stay in the second cache level.
const GROUP_QUERIES: usize = 256;
/// Up to so many queries at once wait for memory, and can be of 16 bits at no cost.
const FINE_QUERIES: usize = 4;
/// So many queries at once are scored faster in single precision by CPUs without instructions for bytes.
const MANY_QUERIES: usize = 12;
/// Rows that are wanted, of so many: codes would rule out too few.
const LEAST_SHARE: usize = 4;

/// What a search reads.
#[derive(Clone, Copy)]
struct Search<'a> {
    view: View<'a>,
    shadow: &'a Shadow,
    k: usize,
    filter: Option<Filter<'a>>,
    control: &'a Control,
}

/// The `k` best rows for one prepared query, best first.
pub(crate) fn search(
    (view, shadow): (View, &Shadow),
    query: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    if !pays(&view, 1, k) {
        return Ok(scan(&view, query, k, filter, control)?);
    }
    let mut found = Search { view, shadow, k, filter, control }.share(0..view.len(), query)?;
    Ok(found.pop().unwrap_or_default())
}

/// The `k` best rows for each of the prepared queries `[q * dim]`, best first.
pub(crate) fn search_many(
    (view, shadow): (View, &Shadow),
    queries: &[f32],
    k: usize,
    threads: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    if !pays(&view, queries.len() / view.dim, k) {
        return scan_many(&view, queries, k, threads, filter, control);
    }
    let search = Search { view, shadow, k, filter, control };
    search_shares((queries, view.dim, GROUP_QUERIES), (view.len(), k), threads, control, |share, queries| {
        search.share(share, queries)
    })
}

/// Whether codes are expected to save time.
fn pays(view: &View, queries: usize, k: usize) -> bool {
    let few = k.saturating_mul(LEAST_SHARE) <= view.live_len();
    k > 0 && few && (queries <= MANY_QUERIES || Int8Kernels::detect().is_fast())
}

impl Search<'_> {
    /// The `k` best of a range of rows for each query of a group.
    fn share(&self, rows: Range<usize>, queries: &[f32]) -> Result<Vec<Vec<Hit>>, Cancelled> {
        let Self { view, filter, control, .. } = *self;
        let k = self.k.min(rows.len());
        let (coded, candidates) = self.candidates(rows.clone(), queries)?;
        let candidates = candidates.into_iter().zip(&coded.bounds).zip(queries.chunks_exact(view.dim));
        let scored = candidates.map(|((candidates, bounds), query)| {
            if candidates.too_many {
                return Ok(scan_one(&view, rows.clone(), query, k, filter, control)?.into_sorted());
            }
            control.check()?;
            Ok(candidates.score(&view, query, bounds).into_sorted())
        });
        scored.collect()
    }

    /// The rows of a range that codes do not rule out, for each query of a group.
    fn candidates(&self, rows: Range<usize>, queries: &[f32]) -> Result<(Coded, Vec<Candidates>), Cancelled> {
        let Self { view, filter, control, .. } = *self;
        let count = queries.len() / view.dim;
        let coded = Coded::new(view.similarity, view.dim, queries, count <= FINE_QUERIES);
        let mut candidates: Vec<Candidates> =
            (0..count).map(|_| Candidates::new(self.k.min(rows.len()))).collect();
        let mut room = Room::new(coded.queries.len());
        let all_allowed = filter.is_none() && view.live_len() == view.len();
        let mut start = rows.start;
        while start < rows.end {
            control.check()?;
            let block = self.shadow.block(start, BOUND_ROWS.min(rows.end - start));
            let first = start as u32;
            start += block.codes.len();
            let allows =
                |at: u32| view.is_live(first + at) && filter.is_none_or(|filter| filter.allows(first + at));
            let allowed = if all_allowed {
                u64::MAX
            } else {
                (0..block.codes.len() as u32).fold(0, |bits, at| bits | u64::from(allows(at)) << at)
            };
            if allowed != 0 {
                room.multiply(&coded, block, allowed);
                room.offer(&coded, block, first, &mut candidates);
            }
        }
        Ok((coded, candidates))
    }
}

/// Room for what is computed of a block of rows.
struct Room {
    products: Vec<i32>,
    /// Rows of the block that were multiplied, if not all.
    chosen: Vec<u32>,
    numbers: [[f32; BOUND_ROWS]; 3],
    /// Of what was multiplied a bit for each that may be a hit.
    allowed: u64,
}

impl Room {
    fn new(queries: usize) -> Self {
        let products = vec![0; queries * BOUND_ROWS];
        Self { products, chosen: Vec::new(), numbers: [[0.0; BOUND_ROWS]; 3], allowed: 0 }
    }

    /// Multiplies all queries with the rows of a block, or with those that are allowed if they are few.
    fn multiply(&mut self, coded: &Coded, block: ShadowBlock<'_>, allowed: u64) {
        let rows = block.codes.len();
        let kernels = Int8Kernels::detect();
        self.chosen.clear();
        self.allowed = allowed;
        if allowed.count_ones() as usize * 2 > rows {
            let products = &mut self.products[..coded.queries.len() * rows];
            kernels.products(&coded.queries, block.codes, products);
            return;
        }
        self.chosen.extend(bits(allowed).map(|at| at as u32));
        self.allowed = u64::MAX;
        let Int8RowBounds { scales, errors, lengths } = block.numbers;
        for (chosen, all) in self.numbers.iter_mut().zip([scales, errors, lengths]) {
            for (chosen, &at) in chosen.iter_mut().zip(&self.chosen) {
                *chosen = all[at as usize];
            }
        }
        let products = &mut self.products[..coded.queries.len() * self.chosen.len()];
        kernels.products_of(&coded.queries, block.codes, &self.chosen, products);
    }

    /// Offers what was multiplied to the candidates of each query; `first` is the ord of the block's first row.
    fn offer(&self, coded: &Coded, block: ShadowBlock<'_>, first: u32, candidates: &mut [Candidates]) {
        let kernels = Int8Kernels::detect();
        let chosen = (!self.chosen.is_empty()).then_some(&self.chosen);
        let rows = chosen.map_or(block.codes.len(), Vec::len);
        let [scales, errors, lengths] = self.numbers.each_ref().map(|numbers| &numbers[..rows]);
        let numbers =
            if chosen.is_some() { Int8RowBounds { scales, errors, lengths } } else { block.numbers };
        let parts = 1 + usize::from(coded.fine);
        let products = self.products.chunks_exact(parts * rows);
        for ((candidates, bounds), products) in candidates.iter_mut().zip(&coded.bounds).zip(products) {
            let (products, fine) = products.split_at(rows);
            let fine = coded.fine.then_some(fine);
            let reaching = kernels.reaching(products, fine, numbers, &bounds.upper, candidates.least);
            for at in bits(reaching & self.allowed) {
                let (scale, error, length) = (numbers.scales[at], numbers.errors[at], numbers.lengths[at]);
                let fine = fine.map(|fine| fine[at]);
                let bound = |bound: &Int8Bound| bound.of(products[at], fine, scale, error, length);
                let ord = first + chosen.map_or(at as u32, |chosen| chosen[at]);
                candidates.push(ord, bound(&bounds.upper), bound(&bounds.lower));
            }
        }
    }
}

/// Positions of the bits that are set, in order.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (at < 64).then_some(at as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Similarity;
    use crate::store::rows::Rows;

    #[test]
    fn of_ordinary_rows_few_are_left_to_be_scored() {
        let (dim, rows, k) = (64, 8000, 10);
        // Numbers without a pattern, the same every time: the upper half of products of a large odd number.
        let mut state = 1u64;
        let mut number = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        let vectors: Vec<f32> = (0..rows * dim).map(|_| number()).collect();
        let queries: Vec<f32> = (0..5 * dim).map(|_| number()).collect();
        for similarity in [Similarity::Dot, Similarity::L2] {
            let mut index = Rows::new(dim, similarity, serde_json::Value::Null).expect("a dimension");
            let ids: Vec<String> = (0..rows).map(|row| row.to_string()).collect();
            index.append(&ids, &vectors).expect("sound rows");
            let mut shadow = Shadow::new(dim).expect("a dimension");
            shadow.extend(&vectors);
            let control = Control::new();
            let search = Search { view: index.view(), shadow: &shadow, k, filter: None, control: &control };
            for queries in [&queries[..dim], &queries] {
                for mut candidates in search.candidates(0..rows, queries).expect("not cancelled").1 {
                    candidates.prune();
                    let left = candidates.kept.len();
                    assert!((k..8 * k).contains(&left), "{left} of {rows} rows");
                }
            }
        }
    }
}
