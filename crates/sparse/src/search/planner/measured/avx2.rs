//! The search costs of `avx2`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-avx2.json`.

use crate::search::planner::SearchCosts;

pub static COSTS: SearchCosts = SearchCosts {
    min_passages_per_hit_for_bounds: 32,
    per_bitmap_group: 19.0,
    per_candidate: 18.0,
    per_candidate_and_term: 9.5,
    per_posting: 3.2,
    per_scanned_group: 4.9,
    per_scored_group: 67.0,
    per_scored_hit: 2.9,
    per_scored_posting: 3.4,
    search: 6000.0,
};
