//! The search costs of `avx2`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-avx2.json`.

use crate::hnsw::planner::SearchCosts;
use crate::hnsw::planner::costs::MeasuredCosts;

pub static COSTS: MeasuredCosts = MeasuredCosts {
    with_sketches: SearchCosts {
        batch_rows_per_expansion: 81,
        batch_scan_per_row: 0.43,
        beam: 320.0,
        beam_per_candidate: 28.0,
        beam_per_candidate_and_m: 0.87,
        filtered_beam: 2000.0,
        filtered_beam_per_candidate: 47.0,
        scan_per_hit: 75,
    },
    without_sketches: SearchCosts {
        batch_rows_per_expansion: 98,
        batch_scan_per_row: 0.46,
        beam: 320.0,
        beam_per_candidate: 27.0,
        beam_per_candidate_and_m: 1.7,
        filtered_beam: 900.0,
        filtered_beam_per_candidate: 160.0,
        scan_per_hit: 92,
    },
};
