//! The search costs of `avx512vnni`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-avx512.json`.

use crate::hnsw::planner::SearchCosts;
use crate::hnsw::planner::costs::MeasuredCosts;

pub static COSTS: MeasuredCosts = MeasuredCosts {
    with_sketches: SearchCosts {
        batch_rows_per_expansion: 170,
        batch_scan_per_row: 0.32,
        beam: 880.0,
        beam_per_candidate: 28.0,
        beam_per_candidate_and_m: 1.8,
        filtered_beam: 4000.0,
        filtered_beam_per_candidate: 75.0,
        scan_per_hit: 140,
    },
    without_sketches: SearchCosts {
        batch_rows_per_expansion: 330,
        batch_scan_per_row: 0.19,
        beam: 330.0,
        beam_per_candidate: 28.0,
        beam_per_candidate_and_m: 3.2,
        filtered_beam: 4000.0,
        filtered_beam_per_candidate: 86.0,
        scan_per_hit: 79,
    },
};
