//! Exact search: every row is scored.

pub(crate) mod scan;
pub(crate) mod work_partition;
