//! BM25: the formula ([`bm25`]), the statistics of the index that it needs ([`statistics`]), and the values that are
//! computed once per segment for all queries ([`contribution_table`]).

pub(crate) mod bm25;
pub(crate) mod contribution_table;
pub(crate) mod statistics;
