use std::ops::Range;

use control::{Cancelled, Control};
use kernels::int8::{BOUND_ROWS, Int8Bound, Int8Kernels, Int8RowBounds};
use kernels::prefetch;
use ranking::{Hit, TopK};

use super::Shadow;
use super::codes::ShadowBlock;
use super::query::{Bounds, Coded};
use crate::Error;
use crate::rows::View;
use crate::scan::{Filter, scan, scan_many};
use crate::shares::{offer, scan_source, search_shares};

/// Queries multiplied at once: with a block of rows they stay in the second cache level.
const GROUP_QUERIES: usize = 64;
/// Up to so many queries at once wait for memory, and can be of 16 bits at no cost.
const FINE_QUERIES: usize = 4;
/// So many queries at once are scored faster in single precision by CPUs without instructions for bytes.
const MANY_QUERIES: usize = 12;
/// Rows that are wanted, of so many: codes would rule out too few.
const LEAST_SHARE: usize = 4;
/// Rows that one query may keep for scoring, beside some for each of its hits, before it does without codes.
const MOST_CANDIDATES: usize = 1 << 15;
/// Candidates that are fetched before they are scored.
const AHEAD: usize = 4;

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
    Ok(found.pop().map(TopK::into_sorted).unwrap_or_default())
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
    fn share(&self, rows: Range<usize>, queries: &[f32]) -> Result<Vec<TopK>, Cancelled> {
        let Self { view, filter, control, .. } = *self;
        let k = self.k.min(rows.len());
        let count = queries.len() / view.dim;
        let coded = Coded::new(view.similarity, view.dim, queries, count <= FINE_QUERIES);
        let mut candidates: Vec<Candidates> = (0..count).map(|_| Candidates::new(k)).collect();
        let mut room = Room::new(coded.queries.len());
        let all_allowed = filter.is_none() && view.live_len() == view.len();
        let mut start = rows.start;
        while start < rows.end {
            control.check()?;
            let block = self.shadow.block(start, BOUND_ROWS.min(rows.end - start));
            let first = start as u32;
            start += block.codes.len();
            let allows = |at: u32| view.is_live(first + at) && filter.is_none_or(|allows| allows(first + at));
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
        let scored = candidates.into_iter().zip(&coded.bounds).zip(queries.chunks_exact(view.dim));
        let scored = scored.map(|((candidates, bounds), query)| {
            if candidates.too_many {
                let mut found = scan_source(&view, rows.clone(), query, k, filter, control)?;
                return Ok(found.pop().unwrap_or_else(|| TopK::new(0)));
            }
            control.check()?;
            Ok(candidates.score(&view, query, bounds, k))
        });
        scored.collect()
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

/// What may be among the best for a query.
struct Candidates {
    /// The `k` best lower bounds.
    lowers: TopK,
    /// The least of those once there are `k`: what cannot reach it is not among the best.
    least: f32,
    /// Upper bounds and ords.
    kept: Vec<(f32, u32)>,
    prune_at: usize,
    most: usize,
    /// There were so many that scoring all rows is cheaper.
    too_many: bool,
}

impl Candidates {
    fn new(k: usize) -> Self {
        let most = MOST_CANDIDATES.saturating_add(k.saturating_mul(8));
        let (lowers, kept) = (TopK::new(k), Vec::new());
        Self {
            lowers,
            least: f32::NEG_INFINITY,
            kept,
            prune_at: 1024 + 4 * k.min(most),
            most,
            too_many: false,
        }
    }

    fn push(&mut self, ord: u32, upper: f32, lower: f32) {
        if upper < self.least {
            return;
        }
        if lower > self.least {
            self.lowers.push(Hit { ord, score: lower });
            self.least = self.lowers.threshold().map_or(self.least, |worst| worst.score);
        }
        self.kept.push((upper, ord));
        if self.kept.len() >= self.prune_at {
            self.kept.retain(|&(upper, _)| upper >= self.least);
            self.prune_at = self.prune_at.max(2 * self.kept.len());
            if self.kept.len() > self.most {
                self.kept = Vec::new();
                self.too_many = true;
                // Nothing reaches it.
                self.least = f32::INFINITY;
            }
        }
    }

    /// Scores what is left, the most promising first, as long as it can be among the best.
    fn score(mut self, view: &View, query: &[f32], bounds: &Bounds, k: usize) -> TopK {
        self.kept.retain(|&(upper, _)| upper >= self.least);
        self.kept.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut best = TopK::new(k);
        for (at, &(upper, ord)) in self.kept.iter().enumerate() {
            if best.threshold().is_some_and(|worst| f64::from(upper) < bounds.reach(worst.score)) {
                break;
            }
            if let Some(&(_, ahead)) = self.kept.get(at + AHEAD) {
                prefetch(view.row(ahead));
            }
            offer(&mut best, Hit { ord, score: view.score(query, ord) });
        }
        best
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
