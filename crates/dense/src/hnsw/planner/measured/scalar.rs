//! The search costs of `scalar`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-scalar.json`.

use crate::hnsw::planner::SearchCosts;
use crate::hnsw::planner::costs::MeasuredCosts;

pub static COSTS: MeasuredCosts = MeasuredCosts {
    with_sketches: SearchCosts {
        batch_rows_per_expansion: 9,
        batch_scan_per_row: 1.9,
        beam: 680.0,
        beam_per_candidate: 7.9,
        beam_per_candidate_and_m: 0.71,
        filtered_beam: 1000.0,
        filtered_beam_per_candidate: 24.0,
        scan_per_hit: 33,
    },
    without_sketches: SearchCosts {
        batch_rows_per_expansion: 23,
        batch_scan_per_row: 2.3,
        beam: 590.0,
        beam_per_candidate: 13.0,
        beam_per_candidate_and_m: 1.2,
        filtered_beam: 1900.0,
        filtered_beam_per_candidate: 64.0,
        scan_per_hit: 26,
    },
};
