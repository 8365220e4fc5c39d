//! The search costs of `avx2`, written by `npm run bench -- planner`. The times are in
//! `benches/record/planner-avx2.json`.

use crate::search::planner::SearchCosts;

pub static COSTS: SearchCosts = SearchCosts {
    min_passages_per_hit_for_bounds: 24,
    per_bitmap_group: 24.0,
    per_candidate: 0.0,
    per_candidate_and_term: 13.0,
    per_posting: 4.1,
    per_scanned_group: 2.7,
    search: 6500.0,
};
