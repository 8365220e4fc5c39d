//! The search costs of `scalar`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-scalar.json`.

use crate::hnsw::planner::SearchCosts;
use crate::hnsw::planner::costs::MeasuredCosts;

pub static COSTS: MeasuredCosts = MeasuredCosts {
    with_sketches: SearchCosts {
        batch_rows_per_expansion: 12,
        beam: 220.0,
        beam_per_candidate: 7.6,
        beam_per_candidate_and_m: 0.77,
        filtered_beam: 1300.0,
        filtered_beam_per_candidate: 24.0,
        scan_per_hit: 35,
    },
    without_sketches: SearchCosts {
        batch_rows_per_expansion: 26,
        beam: 940.0,
        beam_per_candidate: 15.0,
        beam_per_candidate_and_m: 0.42,
        filtered_beam: 2600.0,
        filtered_beam_per_candidate: 46.0,
        scan_per_hit: 19,
    },
};
