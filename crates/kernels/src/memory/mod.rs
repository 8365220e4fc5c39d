//! How rows lie in memory, and how they are prefetched.

pub(crate) mod byte_rows;
pub(crate) mod cache_line;
pub(crate) mod prefetch;
