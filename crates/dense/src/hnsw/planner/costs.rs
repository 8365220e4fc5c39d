//! The costs of the search strategies, by which the planner chooses one.
//!
//! The unit is the time in which a [code scan](crate::hnsw::search::code_scan) scores one row by its codes. Costs are
//! ratios of times that were measured on the same machine. They depend on the instruction set that the kernels use, so
//! each instruction set needs costs of its own.
//!
//! The costs of each instruction set that was measured are in [`measured`]. `npm run bench -- planner` measures them
//! for the instruction set that the kernels use (`PASSAGEKIT_CPU` forces another one): it times both strategies of each
//! choice, with 5,000 to 40,000 rows of 64 to 768 dimensions, finds the costs with which the planner's choices lose the
//! least time compared with the faster strategies, and writes the costs to `measured` and the times to
//! `benches/record`. Instruction sets that were not measured have the costs of similar ones.

use kernels::int8::{InstructionSet, Int8Kernels};

use super::measured;

/// The costs of searches with one instruction set. See the [module](self) for the unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchCosts {
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
    /// The cost of scoring one row for one query in a batch code scan.
    pub batch_scan_per_row: f64,
}

/// The costs that were measured with one instruction set. Rows have no [sketches](crate::hnsw::codes) if they
/// have few dimensions or the layout is `Compact`; they are then scored by their codes alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeasuredCosts {
    pub with_sketches: SearchCosts,
    pub without_sketches: SearchCosts,
}

/// Returns the costs `single`, with those of batches from `batch`.
const fn with_batches_of(single: SearchCosts, batch: SearchCosts) -> SearchCosts {
    SearchCosts {
        batch_rows_per_expansion: batch.batch_rows_per_expansion,
        batch_scan_per_row: batch.batch_scan_per_row,
        ..single
    }
}

/// An estimate for NEON without dot products: the costs of AVX2, but half as many rows of a batch in the same time,
/// because NEON's kernels do not add products in 16 bits.
static NEON_WITHOUT_DOT_PRODUCTS: MeasuredCosts = {
    const fn with_slower_batches(costs: SearchCosts) -> SearchCosts {
        SearchCosts {
            batch_rows_per_expansion: costs.batch_rows_per_expansion / 2,
            batch_scan_per_row: costs.batch_scan_per_row * 2.0,
            ..costs
        }
    }
    MeasuredCosts {
        with_sketches: with_slower_batches(measured::AVX2.with_sketches),
        without_sketches: with_slower_batches(measured::AVX2.without_sketches),
    }
};

/// An estimate for dot products of bytes without packed rows: the costs of AVX-512 VNNI for single queries, and those
/// of AVX2 for batches. Of the kernels with dot products, only those for AVX-512 VNNI pack rows.
static DOT_PRODUCTS_WITHOUT_PACKED_ROWS: MeasuredCosts = {
    let (vnni, avx2) = (measured::AVX512VNNI, measured::AVX2);
    MeasuredCosts {
        with_sketches: with_batches_of(vnni.with_sketches, avx2.with_sketches),
        without_sketches: with_batches_of(vnni.without_sketches, avx2.without_sketches),
    }
};

impl MeasuredCosts {
    fn of(instruction_set: InstructionSet) -> &'static Self {
        match instruction_set {
            InstructionSet::Avx512Vnni => &measured::AVX512VNNI,
            InstructionSet::AvxVnni | InstructionSet::NeonI8mm | InstructionSet::NeonDotprod => {
                &DOT_PRODUCTS_WITHOUT_PACKED_ROWS
            }
            InstructionSet::Avx512Bw | InstructionSet::Avx2 => &measured::AVX2,
            InstructionSet::Neon => &NEON_WITHOUT_DOT_PRODUCTS,
            InstructionSet::Scalar => &measured::SCALAR,
        }
    }
}

impl SearchCosts {
    /// Returns the costs for the kernels that are used on this CPU, if rows have sketches or if they have none.
    #[must_use]
    pub fn detect(have_sketches: bool) -> &'static Self {
        let MeasuredCosts { with_sketches, without_sketches } =
            MeasuredCosts::of(Int8Kernels::detect().instruction_set());
        if have_sketches { with_sketches } else { without_sketches }
    }

    /// Returns whether a code scan over `rows` rows for `k` hits is at least as fast as a beam search that expands `ef`
    /// candidates, in a graph built with the option `m`.
    #[must_use]
    pub fn prefer_code_scan(&self, rows: usize, k: usize, ef: usize, m: usize) -> bool {
        self.code_scan(rows, k) <= self.beam_search(ef, m)
    }

    /// Returns whether a code scan over the `allowed` rows of a filter is at least as fast as a filtered beam search
    /// with `num_candidates` candidates.
    #[must_use]
    pub fn prefer_filtered_code_scan(&self, allowed: usize, num_candidates: usize) -> bool {
        allowed as f64 <= self.filtered_beam_search(num_candidates)
    }

    /// Returns whether a code scan over `rows` rows for a batch of queries is at least as fast as beam searches that
    /// expand `ef` candidates each.
    #[must_use]
    pub const fn prefer_batch_code_scan(&self, rows: usize, ef: usize) -> bool {
        rows <= self.batch_rows_per_expansion.saturating_mul(ef)
    }

    /// Returns whether a code scan over `rows` rows for a batch of queries is at least as fast as a code scan for `k`
    /// hits for each query.
    #[must_use]
    pub fn prefer_batch_over_single_scans(&self, rows: usize, k: usize) -> bool {
        rows as f64 * self.batch_scan_per_row <= self.code_scan(rows, k)
    }

    /// Returns the cost of a beam search that expands `ef` candidates, in a graph built with the option `m`.
    #[must_use]
    pub fn beam_search(&self, ef: usize, m: usize) -> f64 {
        self.beam + ef as f64 * (self.beam_per_candidate + m as f64 * self.beam_per_candidate_and_m)
    }

    /// Returns the cost of a filtered beam search with `ef` candidates.
    #[must_use]
    pub fn filtered_beam_search(&self, ef: usize) -> f64 {
        self.filtered_beam + ef as f64 * self.filtered_beam_per_candidate
    }

    /// Returns the cost of a code scan over `rows` rows for `k` hits.
    #[must_use]
    pub fn code_scan(&self, rows: usize, k: usize) -> f64 {
        rows.saturating_add(self.scan_per_hit.saturating_mul(k)) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_depend_on_dot_products_and_packed_rows() {
        for set in InstructionSet::ALL {
            let costs = MeasuredCosts::of(set).without_sketches;
            let single_costs_of_vnni = costs.beam == measured::AVX512VNNI.without_sketches.beam;
            assert_eq!(single_costs_of_vnni, set.has_dot_products(), "{}", set.name());
            let batch_costs_of_vnni =
                costs.batch_scan_per_row == measured::AVX512VNNI.without_sketches.batch_scan_per_row;
            assert_eq!(batch_costs_of_vnni, set == InstructionSet::Avx512Vnni, "{}", set.name());
        }
        for kernels in Int8Kernels::available() {
            let set = kernels.instruction_set();
            assert!(InstructionSet::ALL.contains(&set) && set.name() == kernels.name(), "{}", kernels.name());
        }
    }
}
