//! The search costs of `avx2`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-avx2.json`.

use crate::hnsw::planner::SearchCosts;
use crate::hnsw::planner::costs::MeasuredCosts;

pub static COSTS: MeasuredCosts = MeasuredCosts {
    with_sketches: SearchCosts {
        batch_rows_per_expansion: 84,
        beam: 230.0,
        beam_per_candidate: 24.0,
        beam_per_candidate_and_m: 1.0,
        filtered_beam: 2200.0,
        filtered_beam_per_candidate: 42.0,
        scan_per_hit: 57,
    },
    without_sketches: SearchCosts {
        batch_rows_per_expansion: 85,
        beam: 1300.0,
        beam_per_candidate: 29.0,
        beam_per_candidate_and_m: 1.5,
        filtered_beam: 1700.0,
        filtered_beam_per_candidate: 150.0,
        scan_per_hit: 64,
    },
};
