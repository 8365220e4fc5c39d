//! BM25: the formula, and what it needs to know about an index.

pub(crate) mod bm25;
pub(crate) mod contribution_table;
pub(crate) mod statistics;
