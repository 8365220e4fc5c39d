//! Finding the best passages for a query.

pub(crate) mod bound_scale;
pub(crate) mod candidates;
pub(crate) mod exhaustive;
pub(crate) mod explain;
pub(crate) mod filtered_searcher;
pub(crate) mod planner;
pub(crate) mod query_terms;
pub(crate) mod rescore;
pub(crate) mod searcher;
pub(crate) mod top_k;
pub(crate) mod upper_bounds;
