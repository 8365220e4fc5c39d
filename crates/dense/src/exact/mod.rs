//! Exact search: scores the vectors of all rows and keeps the best.
//!
//! `scan` scores rows in blocks that fit a CPU cache, for one query or for a group of queries; `work_partition` splits
//! queries and rows among threads.

pub(crate) mod scan;
pub(crate) mod work_partition;
