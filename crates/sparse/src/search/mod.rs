//! Finds the best passages for a query in one commit.
//!
//! [`searcher`] is the public entry point. [`filtered_searcher`] is the entry point for searches with a filter,
//! [`prepared_query`] is for searches whose time is estimated before they run, and [`explain`] shows how a score is
//! computed. [`query_terms`] looks up the terms of a query in all segments. [`planner`] then chooses one of two
//! scorers, which give the same hits and scores bit for bit:
//!
//! - [`exhaustive`] scores every posting of the query terms. [`top_k`] selects the best passages.
//! - [`upper_bounds`] computes an upper bound on the score of every passage with 16-bit integers ([`bound_scale`]) and
//!   keeps the [`candidates`] that may be among the best; [`rescore`] scores only the candidates exactly.
//!
//! Both scorers process one block of passages at a time, and within a block one term at a time. Unlike block-max WAND,
//! the second scorer does not skip blocks of postings by their maximum scores. It adds bounds for 64 passages at a time
//! with SIMD, and, except in the first block, skips the addition of frequent terms where none of the 64 passages can
//! reach the threshold.

pub(crate) mod bound_scale;
pub(crate) mod candidates;
pub(crate) mod exhaustive;
pub(crate) mod explain;
pub(crate) mod filtered_searcher;
pub(crate) mod planner;
pub(crate) mod prepared_query;
pub(crate) mod query_terms;
pub(crate) mod rescore;
pub(crate) mod searcher;
pub(crate) mod top_k;
pub(crate) mod upper_bounds;
