//! The search of many queries at once in an index that is not large: each code that is read is compared with all of them.

use control::{Cancelled, Control};
use kernels::int8::{BOUND_ROWS, Int8Bound, Int8Kernels};
use ranking::{Hit, TopKBuffer};

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
    let mut nearest = vec![TopKBuffer::new(k + k / SPARE + 8); targets.len()];
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
            let mut reaching = kernels.reaching(products, None, numbers, worth, nearest.min_score());
            while reaching != 0 {
                let at = reaching.trailing_zeros() as usize;
                reaching &= reaching - 1;
                let ord = first + at as u32;
                if live(ord) {
                    let score = worth.of(products[at], None, numbers.scales[at], numbers.errors[at], 0.0);
                    nearest.push(Hit { ord, score });
                }
            }
        }
    }
    let found = nearest.into_iter().zip(&targets).zip(queries.chunks_exact(view.dim));
    found
        .map(|((nearest, target), query)| {
            control.check()?;
            Ok(rescore(near, query, target, &nearest.into_sorted(), k))
        })
        .collect()
}
