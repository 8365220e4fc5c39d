//! The costs of the search strategies, by which the planner chooses one.
//!
//! The unit is the time in which a [code scan](crate::hnsw::search::code_scan) scores one row by its codes. Costs are
//! ratios of times that were measured on the same machine. They depend on the instruction set that the kernels use, so
//! each instruction set needs costs of its own.
//!
//! **How they were measured.** Beam search: 1,500 to 50,000 rows of 64 to 768 dimensions, `m` from 8 to 256. Filtered
//! beam search and batches: 50,000 rows of 100 and 384 dimensions, with filters that allow from 1/50 to all of the
//! rows. The machine was the one on which the benchmark records named below were made: an AMD EPYC, on which the
//! kernels use `avx512vnni`. The timings themselves were not kept.
//!
//! **How to check them.** Time both strategies of a choice for several sizes. The size from which the other strategy is
//! faster should be about the size from which the planner chooses it:
//!
//! - Beam search: `cargo bench -p dense --bench hnsw -- search`; end to end, `npm run bench -- qps sentences-50k` and
//!   `glove-100`.
//! - Filtered beam search: `cargo bench -p dense --bench hnsw -- search_one_in`; end to end, the definitions
//!   `filtered-50k-1`, `filtered-50k-10` and `filtered-50k-50` in the same way.
//! - Batches: `cargo bench -p dense --bench hnsw -- a_thousand_at_once`; end to end, the entries named *batch* of the
//!   benchmarks for beam search.
//! - The kernels by themselves: `cargo bench -p kernels --bench codes -- bytes`.
//!
//! The records of the end-to-end benchmarks are in `benches/qps/record`: `2026-11-21-sentences-50k.json`,
//! `2026-11-21-glove-100.json`, and `2026-11-21-filtered-50k-1.json`, `-10.json` and `-50.json`.

use kernels::int8::{InstructionSet, Int8Kernels};

/// The costs of searches with one instruction set. See the [module](self) for the unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SearchCosts {
    /// The fixed cost of a beam search: the descent to layer 0, and filling the candidate queue.
    pub beam: f64,
    /// The additional cost per candidate of a beam search.
    pub beam_per_candidate: f64,
    /// The additional cost per candidate of a beam search, to be multiplied by the option `m`: the candidate's
    /// adjacency list has up to `2 * m` rows.
    pub beam_per_candidate_and_m: f64,
    /// The fixed cost of a filtered beam search.
    pub filtered_beam: f64,
    /// The additional cost per candidate of a filtered beam search. It is higher than that of an unfiltered beam
    /// search, because the rows that are read are farther apart in memory.
    pub filtered_beam_per_candidate: f64,
    /// The additional cost per hit of a code scan: if more hits are requested, fewer rows are ruled out by their
    /// sketches.
    pub scan_per_hit: usize,
    /// The number of rows that a batch code scan scores for one query in the time in which a beam search expands one
    /// candidate.
    pub batch_rows_per_expansion: usize,
}

/// The costs with dot-product instructions for bytes (VNNI, `dotprod`). Measured with `avx512vnni`; assumed for
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

/// The costs without dot-product instructions for bytes. In a batch code scan, which multiplies each row by many
/// queries, kernels without these instructions multiply about a quarter as many bytes in the same time. The other costs
/// are copied from [`DOT_PRODUCTS`], and were not measured with these kernels.
const NO_DOT_PRODUCTS: SearchCosts = SearchCosts { batch_rows_per_expansion: 80, ..DOT_PRODUCTS };

impl SearchCosts {
    /// Returns the costs for the kernels that are used on this CPU.
    pub fn detect() -> &'static Self {
        Self::of(Int8Kernels::detect().instruction_set())
    }

    fn of(instruction_set: InstructionSet) -> &'static Self {
        match instruction_set {
            InstructionSet::Avx512Vnni | InstructionSet::AvxVnni | InstructionSet::NeonDotprod => {
                &DOT_PRODUCTS
            }
            InstructionSet::Avx512Bw
            | InstructionSet::Avx2
            | InstructionSet::Neon
            | InstructionSet::Scalar => &NO_DOT_PRODUCTS,
        }
    }

    /// Returns the cost of a beam search that expands `ef` candidates, in a graph built with the option `m`.
    pub fn beam_search(&self, ef: usize, m: usize) -> f64 {
        self.beam + ef as f64 * (self.beam_per_candidate + m as f64 * self.beam_per_candidate_and_m)
    }

    /// Returns the cost of a filtered beam search with `ef` candidates.
    pub fn filtered_beam_search(&self, ef: usize) -> f64 {
        self.filtered_beam + ef as f64 * self.filtered_beam_per_candidate
    }

    /// Returns the cost of a code scan over `rows` rows for `k` hits.
    pub fn code_scan(&self, rows: usize, k: usize) -> f64 {
        rows.saturating_add(self.scan_per_hit.saturating_mul(k)) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_depend_on_whether_the_instruction_set_has_dot_products() {
        for set in InstructionSet::ALL {
            let expected = if set.has_dot_products() { &DOT_PRODUCTS } else { &NO_DOT_PRODUCTS };
            assert_eq!(SearchCosts::of(set), expected, "{}", set.name());
        }
        for kernels in Int8Kernels::available() {
            let set = kernels.instruction_set();
            assert!(InstructionSet::ALL.contains(&set) && set.name() == kernels.name(), "{}", kernels.name());
        }
    }
}
