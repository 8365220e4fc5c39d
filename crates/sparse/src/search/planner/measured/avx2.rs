//! The search costs of `avx2`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-avx2.json`.

use crate::search::planner::SearchCosts;

pub static COSTS: SearchCosts = SearchCosts {
    min_passages_per_hit_for_bounds: 64,
    per_bitmap_group: 15.0,
    per_candidate: 11.0,
    per_candidate_and_term: 6.3,
    per_posting: 2.6,
    per_scanned_group: 4.3,
    per_scored_group: 52.0,
    per_scored_hit: 0.98,
    per_scored_posting: 1.9,
    search: 4000.0,
};
