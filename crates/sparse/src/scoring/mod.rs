//! BM25: the formula ([`bm25`]), the statistics that it needs ([`statistics`]), and what it computes once per segment
//! for all queries ([`contribution_table`]).

pub(crate) mod bm25;
pub(crate) mod contribution_table;
pub(crate) mod statistics;
