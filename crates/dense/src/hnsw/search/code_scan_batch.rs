//! Brute-force scan over all codes for many queries at once: each code that is read is scored for all of them.

use control::{Cancelled, Control};
use kernels::int8::{BOUND_ROWS, Int8Bound, Int8Kernels};
use ranking::{Hit, TopKBuffer};

use super::rescore::rescore;
use crate::hnsw::codes::QuantizedQuery;
use crate::hnsw::scorer::Scorer;

/// The maximum number of queries of one scan: with a block of rows they stay in the L2 cache.
pub(crate) const MAX_BATCH_QUERIES: usize = 256;

/// One more candidate is kept per this many hits, because codes rank rows only about right.
const HITS_PER_SPARE_CANDIDATE: usize = 2;
/// Candidates that are kept besides.
const SPARE_CANDIDATES: usize = 8;

/// Returns the `k` best rows that are `live` for each of the prepared queries `[q * dim]`, best first. There are at most
/// [`MAX_BATCH_QUERIES`] queries.
pub(crate) fn scan_codes_batch(
    scorer: &Scorer,
    vectors: &[f32],
    k: usize,
    live: impl Fn(u32) -> bool,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Cancelled> {
    let view = scorer.view();
    let (codes, kernels) = (scorer.codes(), Int8Kernels::detect());
    let queries: Vec<QuantizedQuery> =
        vectors.chunks_exact(view.dim).map(|vector| scorer.query(vector)).collect();
    let byte_queries = codes.byte_queries(queries.iter());
    let scorers: Vec<Int8Bound> = queries.iter().map(|query| codes.byte_scorer(query)).collect();
    let num_candidates = k + k / HITS_PER_SPARE_CANDIDATE + SPARE_CANDIDATES;
    let mut candidates: Vec<TopKBuffer> = queries.iter().map(|_| TopKBuffer::new(num_candidates)).collect();
    let (mut bytes, mut products) = (Vec::new(), vec![0; queries.len() * BOUND_ROWS]);
    let num_rows = view.len() as u32;
    for first in (0..num_rows).step_by(BOUND_ROWS) {
        control.check()?;
        let (block, numbers) = codes.byte_block(first..num_rows.min(first + BOUND_ROWS as u32), &mut bytes);
        let products = &mut products[..queries.len() * block.len()];
        kernels.products(&byte_queries, block, products);
        for ((candidates, scorer), products) in
            candidates.iter_mut().zip(&scorers).zip(products.chunks_exact(block.len()))
        {
            let mut reaching =
                kernels.bounds_at_least(products, None, numbers, scorer, candidates.min_score());
            while reaching != 0 {
                let at = reaching.trailing_zeros() as usize;
                reaching &= reaching - 1;
                let ord = first + at as u32;
                if live(ord) {
                    let score = scorer.of(products[at], None, numbers.scales[at], numbers.errors[at], 0.0);
                    candidates.push(Hit { ord, score });
                }
            }
        }
    }
    let scanned = candidates.into_iter().zip(&queries).zip(vectors.chunks_exact(view.dim));
    scanned
        .map(|((candidates, query), vector)| {
            control.check()?;
            Ok(rescore(scorer, vector, query, &candidates.into_sorted(), k))
        })
        .collect()
}
