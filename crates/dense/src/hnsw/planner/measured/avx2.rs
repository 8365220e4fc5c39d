//! The search costs of `avx2`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-avx2.json`.

use crate::hnsw::planner::SearchCosts;
use crate::hnsw::planner::costs::MeasuredCosts;

pub static COSTS: MeasuredCosts = MeasuredCosts {
    with_sketches: SearchCosts {
        batch_rows_per_expansion: 110,
        batch_scan_per_row: 0.24,
        beam: 550.0,
        beam_per_candidate: 24.0,
        beam_per_candidate_and_m: 0.89,
        filtered_beam: 2500.0,
        filtered_beam_per_candidate: 40.0,
        scan_per_hit: 67,
    },
    without_sketches: SearchCosts {
        batch_rows_per_expansion: 210,
        batch_scan_per_row: 0.25,
        beam: 300.0,
        beam_per_candidate: 38.0,
        beam_per_candidate_and_m: 0.96,
        filtered_beam: 1600.0,
        filtered_beam_per_candidate: 130.0,
        scan_per_hit: 56,
    },
};
