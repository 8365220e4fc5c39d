//! Finding the best passages for a query in one commit.
//!
//! [`searcher`] is the public entry point. [`query_terms`] looks up the terms of a query in all segments. [`planner`]
//! then chooses one of two scorers, which give the same hits and scores bit for bit:
//!
//! - [`exhaustive`] scores every posting of the query terms.
//! - [`upper_bounds`] bounds the score of every passage with 16-bit integers ([`bound_scale`]), keeps the
//!   [`candidates`] that may be among the best, and [`rescore`] scores only those exactly.

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
