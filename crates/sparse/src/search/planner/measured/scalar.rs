//! The search costs of `scalar`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-scalar.json`.

use crate::search::planner::SearchCosts;

pub static COSTS: SearchCosts = SearchCosts {
    min_passages_per_hit_for_bounds: 64,
    per_bitmap_group: 54.0,
    per_candidate: 0.0,
    per_candidate_and_term: 19.0,
    per_posting: 5.4,
    per_scanned_group: 1.8,
    search: 9800.0,
};
