//! The search costs of `avx2`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-avx2.json`.

use crate::hnsw::planner::SearchCosts;
use crate::hnsw::planner::costs::MeasuredCosts;

pub static COSTS: MeasuredCosts = MeasuredCosts {
    with_sketches: SearchCosts {
        batch_rows_per_expansion: 82,
        batch_scan_per_row: 0.4,
        beam: 290.0,
        beam_per_candidate: 28.0,
        beam_per_candidate_and_m: 0.82,
        filtered_beam: 1100.0,
        filtered_beam_per_candidate: 48.0,
        scan_per_hit: 65,
    },
    without_sketches: SearchCosts {
        batch_rows_per_expansion: 80,
        batch_scan_per_row: 0.42,
        beam: 240.0,
        beam_per_candidate: 18.0,
        beam_per_candidate_and_m: 2.2,
        filtered_beam: 1800.0,
        filtered_beam_per_candidate: 130.0,
        scan_per_hit: 63,
    },
};
