//! The search costs of `avx512vnni`. They were measured before the benchmark `planner` existed, on an AMD EPYC with
//! AVX-512: beam searches with 1,500 to 50,000 rows of 64 to 768 dimensions and `m` from 8 to 256; filtered beam
//! searches and batches with 50,000 rows of 100 and 384 dimensions. The times were not kept, and rows with and without
//! sketches were not distinguished. `batch_scan_per_row` was not measured at all; with
//! it, a batch is scanned at once whenever single queries would be, as on other CPUs with SIMD.

use crate::hnsw::planner::SearchCosts;
use crate::hnsw::planner::costs::MeasuredCosts;

pub static COSTS: MeasuredCosts = MeasuredCosts {
    with_sketches: SearchCosts {
        beam: 1000.0,
        beam_per_candidate: 40.0,
        beam_per_candidate_and_m: 0.75,
        filtered_beam: 2000.0,
        filtered_beam_per_candidate: 125.0,
        scan_per_hit: 70,
        batch_rows_per_expansion: 320,
        batch_scan_per_row: 0.3,
    },
    without_sketches: SearchCosts {
        beam: 1000.0,
        beam_per_candidate: 40.0,
        beam_per_candidate_and_m: 0.75,
        filtered_beam: 2000.0,
        filtered_beam_per_candidate: 125.0,
        scan_per_hit: 70,
        batch_rows_per_expansion: 320,
        batch_scan_per_row: 0.3,
    },
};
