//! The layout of rows in memory, and prefetching.

pub(crate) mod byte_rows;
pub(crate) mod cache_line;
pub(crate) mod prefetch;
