//! The search costs of `avx512vnni`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-avx512.json`.

use crate::hnsw::planner::SearchCosts;
use crate::hnsw::planner::costs::MeasuredCosts;

pub static COSTS: MeasuredCosts = MeasuredCosts {
    with_sketches: SearchCosts {
        batch_rows_per_expansion: 180,
        batch_scan_per_row: 0.22,
        beam: 1600.0,
        beam_per_candidate: 42.0,
        beam_per_candidate_and_m: 1.1,
        filtered_beam: 1800.0,
        filtered_beam_per_candidate: 66.0,
        scan_per_hit: 110,
    },
    without_sketches: SearchCosts {
        batch_rows_per_expansion: 660,
        batch_scan_per_row: 0.16,
        beam: 480.0,
        beam_per_candidate: 21.0,
        beam_per_candidate_and_m: 3.6,
        filtered_beam: 2500.0,
        filtered_beam_per_candidate: 94.0,
        scan_per_hit: 71,
    },
};
