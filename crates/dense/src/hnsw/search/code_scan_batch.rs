//! The search of many queries at once in an index that is not large: each code that is read is compared with all of them.

use control::{Cancelled, Control};
use kernels::int8::{BOUND_ROWS, Int8Bound, Int8Kernels};
use ranking::Hit;

use super::rescore::rescore;
use crate::hnsw::codes::Target;
use crate::hnsw::scorer::Closeness;

/// Queries that are compared with a row at once: with a block of rows they stay in the second cache level.
pub(crate) const GROUP_QUERIES: usize = 256;

/// One more candidate is kept for so many hits, for codes rank rows about right.
const SPARE: usize = 2;

/// The `k` best rows that are `live` for each of the prepared queries `[q * dim]`, up to [`GROUP_QUERIES`], best first.
pub(crate) fn sweep_many(
    near: &Closeness,
    queries: &[f32],
    k: usize,
    live: impl Fn(u32) -> bool,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Cancelled> {
    let view = near.view();
    let (codes, kernels) = (near.codes(), Int8Kernels::detect());
    let targets: Vec<Target> = queries.chunks_exact(view.dim).map(|query| near.of_query(query)).collect();
    let together = codes.together(targets.iter());
    let worths: Vec<Int8Bound> = targets.iter().map(|target| codes.worth(target)).collect();
    let mut nearest: Vec<Nearest> = targets.iter().map(|_| Nearest::new(k + k / SPARE + 8)).collect();
    let (mut bytes, mut products) = (Vec::new(), vec![0; targets.len() * BOUND_ROWS]);
    let rows = view.len() as u32;
    for first in (0..rows).step_by(BOUND_ROWS) {
        control.check()?;
        let (block, numbers) = codes.block(first..rows.min(first + BOUND_ROWS as u32), &mut bytes);
        let products = &mut products[..targets.len() * block.len()];
        kernels.products(&together, block, products);
        for ((nearest, worth), products) in
            nearest.iter_mut().zip(&worths).zip(products.chunks_exact(block.len()))
        {
            let mut reaching = kernels.reaching(products, None, numbers, worth, nearest.least);
            while reaching != 0 {
                let at = reaching.trailing_zeros() as usize;
                reaching &= reaching - 1;
                let ord = first + at as u32;
                if live(ord) {
                    nearest
                        .push(ord, worth.of(products[at], None, numbers.scales[at], numbers.errors[at], 0.0));
                }
            }
        }
    }
    let found = nearest.into_iter().zip(&targets).zip(queries.chunks_exact(view.dim));
    found
        .map(|((nearest, target), query)| {
            control.check()?;
            Ok(rescore(near, query, target, &nearest.into_hits(), k))
        })
        .collect()
}

/// The nearest rows so far.
struct Nearest {
    kept: usize,
    /// Rank keys of up to twice as many, the score being how near they are.
    entries: Vec<u64>,
    /// What is not as near is not among them.
    least: f32,
}

impl Nearest {
    fn new(kept: usize) -> Self {
        Self { kept, entries: Vec::with_capacity(2 * kept), least: f32::NEG_INFINITY }
    }

    fn push(&mut self, ord: u32, closeness: f32) {
        // What comes later and is as near is not nearer.
        if closeness > self.least || self.entries.len() < self.kept {
            self.entries.push(Hit { ord, score: closeness }.rank_key());
            if self.entries.len() == 2 * self.kept {
                self.prune();
            }
        }
    }

    fn prune(&mut self) {
        if self.kept > 0 && self.entries.len() >= self.kept {
            let (_, &mut least, _) = self.entries.select_nth_unstable(self.kept - 1);
            self.least = Hit::from_rank_key(least).score;
            self.entries.truncate(self.kept);
        }
    }

    /// The nearest first.
    fn into_hits(mut self) -> Vec<Hit> {
        self.prune();
        self.entries.sort_unstable();
        self.entries.into_iter().map(Hit::from_rank_key).collect()
    }
}
