//! The search costs of `avx512vbmi2`. They are rough: they were estimated from benchmarks on an AMD EPYC with AVX-512
//! before the benchmark `planner` existed. The times were not kept.

use crate::search::planner::SearchCosts;

pub static COSTS: SearchCosts = SearchCosts {
    search: 0.0,
    per_posting: 1.0,
    per_bitmap_group: 8.0,
    per_scanned_group: 4.0,
    per_candidate: 32.0,
    per_candidate_and_term: 8.0,
    min_passages_per_hit_for_bounds: 16,
    per_scored_posting: 1.5,
    per_scored_group: 40.0,
    per_scored_hit: 8.0,
};
