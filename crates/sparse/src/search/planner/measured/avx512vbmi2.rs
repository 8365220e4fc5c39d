//! The search costs of `avx512vbmi2`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-avx512.json`.

use crate::search::planner::SearchCosts;

pub static COSTS: SearchCosts = SearchCosts {
    min_passages_per_hit_for_bounds: 6,
    per_bitmap_group: 11.0,
    per_candidate: 13.0,
    per_candidate_and_term: 8.6,
    per_posting: 2.5,
    per_scanned_group: 2.6,
    per_scored_group: 80.0,
    per_scored_hit: 4.0,
    per_scored_posting: 2.7,
    search: 6000.0,
};
