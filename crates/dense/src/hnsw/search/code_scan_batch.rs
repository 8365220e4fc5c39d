//! Brute-force scan over the codes of all rows for many queries together: each row is read once and scored for all
//! queries.
//!
//! The score of a row by its codes has the same form as an [`Int8Bound`], the formula with which flat indexes with the
//! storage `int8Rescored` compute upper bounds on scores from int8 copies of the rows. The kernel that compares such
//! bounds with a threshold ([`bounds_at_least`](Int8Kernels::bounds_at_least)) therefore also finds the rows of a block
//! whose scores are high enough for a query.

use control::{Canceled, Control};
use kernels::int8::{BOUND_ROWS, Int8Kernels};
use ranking::{Hit, TopKBuffer};

use super::rescore::rescore;
use crate::hnsw::codes::QuantizedQuery;
use crate::hnsw::scorer::Scorer;

/// The maximum number of queries per scan. This many queries fit in the L2 cache together with a block of rows.
pub(crate) const MAX_BATCH_QUERIES: usize = 256;

/// One extra candidate is kept per this many hits, because codes rank rows only approximately.
const HITS_PER_SPARE_CANDIDATE: usize = 2;
/// The number of extra candidates that are kept in addition, for any `k`.
const SPARE_CANDIDATES: usize = 8;
/// At least one extra candidate is kept per this many candidates that a beam search would expand, so that a larger `ef`
/// raises the recall of this scan too.
const EF_PER_SPARE_CANDIDATE: usize = 4;
/// The maximum number of extra candidates for a large `ef`. More of them hardly raise the recall, but take memory and
/// time.
const MAX_SPARE_CANDIDATES_FOR_EF: usize = 4096;

/// Returns, for each query, approximately the `k` best of the rows for which `is_live` is true, best first. `vectors`
/// are at most [`MAX_BATCH_QUERIES`] queries `[q * dim]`, which are already [prepared](crate::Similarity::prepare).
pub(crate) fn scan_codes_batch(
    scorer: &Scorer,
    vectors: &[f32],
    k: usize,
    ef: usize,
    is_live: impl Fn(u32) -> bool,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Canceled> {
    let view = scorer.view();
    let (codes, kernels) = (scorer.codes(), Int8Kernels::detect());
    let queries: Vec<QuantizedQuery> =
        vectors.chunks_exact(view.dim).map(|vector| scorer.query(vector)).collect();
    let have_small_groups = kernels.instruction_set().prefers_small_groups();
    let (byte_queries, score_formulas) = codes.byte_queries(queries.iter(), have_small_groups);
    let num_spare_for_ef = (ef / EF_PER_SPARE_CANDIDATE).min(MAX_SPARE_CANDIDATES_FOR_EF);
    let num_spare = (k / HITS_PER_SPARE_CANDIDATE + SPARE_CANDIDATES).max(num_spare_for_ef);
    let num_candidates = k + num_spare.min(view.len());
    let mut candidates: Vec<TopKBuffer> = queries.iter().map(|_| TopKBuffer::new(num_candidates)).collect();
    let (mut bytes, mut products) = (Vec::new(), vec![0; queries.len() * BOUND_ROWS]);
    let num_rows = view.len() as u32;
    for first in (0..num_rows).step_by(BOUND_ROWS) {
        control.check()?;
        let (block, row_terms) = codes.byte_block(first..num_rows.min(first + BOUND_ROWS as u32), &mut bytes);
        let products = &mut products[..queries.len() * block.len()];
        kernels.products(&byte_queries, block, products);
        for ((candidates, formula), products) in
            candidates.iter_mut().zip(&score_formulas).zip(products.chunks_exact(block.len()))
        {
            // One bit per row of the block, set if the row's score is at least `min_score`. The second argument is for
            // the low parts of queries with 14 bits per number; these queries have 8.
            let mut good_rows =
                kernels.bounds_at_least(products, None, row_terms, formula, candidates.min_score());
            while good_rows != 0 {
                let at = good_rows.trailing_zeros() as usize;
                good_rows &= good_rows - 1;
                let ord = first + at as u32;
                if is_live(ord) {
                    // The last argument is the length of the row, on which a score does not depend.
                    let score =
                        formula.of(products[at], None, row_terms.scales[at], row_terms.addends[at], 0.0);
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
