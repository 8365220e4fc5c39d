//! Exact search: the vectors of all rows are scored, and the best are kept.
//!
//! `scan` scores one query, or groups of queries in cache-sized blocks; `work_partition` splits queries and rows over threads.

pub(crate) mod scan;
pub(crate) mod work_partition;
