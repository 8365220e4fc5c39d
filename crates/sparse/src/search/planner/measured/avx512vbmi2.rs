//! The search costs of `avx512vbmi2`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-avx512.json`.

use crate::search::planner::SearchCosts;

pub static COSTS: SearchCosts = SearchCosts {
    min_passages_per_hit_for_bounds: 6,
    per_bitmap_group: 9.5,
    per_candidate: 9.2,
    per_candidate_and_term: 4.4,
    per_posting: 1.9,
    per_scanned_group: 2.1,
    per_scored_group: 54.0,
    per_scored_hit: 1.1,
    per_scored_posting: 1.8,
    search: 4300.0,
};
