//! The search costs of `scalar`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-scalar.json`.

use crate::search::planner::SearchCosts;

pub static COSTS: SearchCosts = SearchCosts {
    min_passages_per_hit_for_bounds: 64,
    per_bitmap_group: 53.0,
    per_candidate: 41.0,
    per_candidate_and_term: 15.0,
    per_posting: 4.6,
    per_scanned_group: 2.1,
    per_scored_group: 76.0,
    per_scored_hit: 4.2,
    per_scored_posting: 4.1,
    search: 11000.0,
};
