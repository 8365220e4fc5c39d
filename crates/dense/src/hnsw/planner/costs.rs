//! What searches cost, as far as the choice between them depends on it.
//!
//! The unit is the time in which a [code scan](crate::hnsw::search::code_scan) scores one row by its codes. Costs are
//! ratios of times on one machine, so they belong to a kernel set, and a new kernel set needs its own.
//!
//! **How they were measured.** Beam search: 1,500 to 50,000 rows of 64 to 768 dimensions, `m` from 8 to 256. Filtered beam
//! search and batches: 50,000 rows of 100 and 384 dimensions, with a filter that allows from all rows to one in fifty. The
//! machine was the one of the records named below, an AMD EPYC whose kernels are `avx512vnni`. The timings themselves were
//! not kept.
//!
//! **How to check them.** Time both sides of a choice, and compare the crossover with what the planner computes:
//!
//! | costs | micro-benchmark | end to end, with its records in `benches/qps/record` |
//! |---|---|---|
//! | beam search | `cargo bench -p dense --bench hnsw -- search` | `npm run bench -- qps sentences-50k`, `glove-100`: `2026-11-21-sentences-50k.json`, `2026-11-21-glove-100.json` |
//! | filtered beam search | `cargo bench -p dense --bench hnsw -- search_one_of` | `npm run bench -- qps filtered-50k-1`, `-10`, `-50`: `2026-11-21-filtered-50k-1.json`, `-10`, `-50` |
//! | batches | `cargo bench -p dense --bench hnsw -- a_thousand_at_once` | the same as for beam search, entries named *batch* |
//! | kernels | `cargo bench -p kernels --bench codes -- bytes` | |

use kernels::int8::Int8Kernels;

/// The costs of searches with one kernel set. See the [module](self) for the unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SearchCosts {
    /// A beam search, apart from its candidates: the descent to layer 0, and filling the queue.
    pub beam: f64,
    /// Each candidate of a beam search.
    pub beam_per_candidate: f64,
    /// Each candidate of a beam search, for each unit of the option `m`: its adjacency list has up to `2 * m` rows.
    pub beam_per_candidate_and_m: f64,
    /// A filtered beam search, apart from its candidates.
    pub filtered_beam: f64,
    /// Each candidate of a filtered beam search, whose rows and bridges are farther apart in memory.
    pub filtered_beam_per_candidate: f64,
    /// Each hit of a code scan: the more hits, the fewer rows their sketches rule out.
    pub scan_per_hit: usize,
    /// The rows that a batch code scan scores for one query in the time of one expansion of a beam search.
    pub batch_rows_per_expansion: usize,
}

/// Kernels that multiply bytes with dot-product instructions (VNNI, `dotprod`). Measured with `avx512vnni`; assumed for
/// `avxvnni` and `neon+dotprod`.
const DOT_PRODUCTS: SearchCosts = SearchCosts {
    beam: 1000.0,
    beam_per_candidate: 40.0,
    beam_per_candidate_and_m: 0.75,
    filtered_beam: 2000.0,
    filtered_beam_per_candidate: 125.0,
    scan_per_hit: 70,
    batch_rows_per_expansion: 320,
};

/// Kernels without such instructions, which multiply about a quarter as many bytes in the same time where many queries share
/// a row. The other costs are those of [`DOT_PRODUCTS`], and were not measured with these kernels.
const NO_DOT_PRODUCTS: SearchCosts = SearchCosts { batch_rows_per_expansion: 80, ..DOT_PRODUCTS };

impl SearchCosts {
    /// The costs with the kernels that this CPU runs.
    pub fn detect() -> &'static Self {
        Self::of(Int8Kernels::detect())
    }

    fn of(kernels: &Int8Kernels) -> &'static Self {
        match kernels.name() {
            "avx512vnni" | "avxvnni" | "neon+dotprod" => &DOT_PRODUCTS,
            // `avx512bw`, `avx2`, `neon` and `scalar`.
            _ => &NO_DOT_PRODUCTS,
        }
    }

    /// A beam search with `ef` candidates in a graph of `m`.
    pub fn beam_search(&self, ef: usize, m: usize) -> f64 {
        self.beam + ef as f64 * (self.beam_per_candidate + m as f64 * self.beam_per_candidate_and_m)
    }

    /// A filtered beam search with `ef` candidates.
    pub fn filtered_beam_search(&self, ef: usize) -> f64 {
        self.filtered_beam + ef as f64 * self.filtered_beam_per_candidate
    }

    /// A code scan over `rows` for `k` hits.
    pub fn code_scan(&self, rows: usize, k: usize) -> f64 {
        rows.saturating_add(self.scan_per_hit.saturating_mul(k)) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_with_dot_product_instructions_have_their_own_costs() {
        for kernels in Int8Kernels::available() {
            let expected = if kernels.is_fast() { &DOT_PRODUCTS } else { &NO_DOT_PRODUCTS };
            assert_eq!(SearchCosts::of(kernels), expected, "{}", kernels.name());
        }
    }
}
