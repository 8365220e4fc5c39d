//! The search costs of `scalar`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-scalar.json`.

use crate::search::planner::SearchCosts;

pub static COSTS: SearchCosts = SearchCosts {
    min_passages_per_hit_for_bounds: 64,
    per_bitmap_group: 38.0,
    per_candidate: 26.0,
    per_candidate_and_term: 11.0,
    per_posting: 3.2,
    per_scanned_group: 4.3,
    per_scored_group: 52.0,
    per_scored_hit: 1.4,
    per_scored_posting: 1.9,
    search: 5600.0,
};
