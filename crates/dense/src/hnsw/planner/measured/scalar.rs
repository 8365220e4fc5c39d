//! The search costs of `scalar`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-scalar.json`.

use crate::hnsw::planner::SearchCosts;
use crate::hnsw::planner::costs::MeasuredCosts;

pub static COSTS: MeasuredCosts = MeasuredCosts {
    with_sketches: SearchCosts {
        batch_rows_per_expansion: 9,
        batch_scan_per_row: 1.9,
        beam: 200.0,
        beam_per_candidate: 11.0,
        beam_per_candidate_and_m: 0.56,
        filtered_beam: 880.0,
        filtered_beam_per_candidate: 32.0,
        scan_per_hit: 36,
    },
    without_sketches: SearchCosts {
        batch_rows_per_expansion: 18,
        batch_scan_per_row: 2.5,
        beam: 410.0,
        beam_per_candidate: 14.0,
        beam_per_candidate_and_m: 1.2,
        filtered_beam: 1800.0,
        filtered_beam_per_candidate: 66.0,
        scan_per_hit: 26,
    },
};
