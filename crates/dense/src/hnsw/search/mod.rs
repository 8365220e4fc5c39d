//! Searches of an HNSW index. All score by codes and end in [exact rescoring](rescore) of their candidates.
//!
//! | search | reads |
//! |---|---|
//! | [`beam_search`] | the neighborhood of the query in the graph; [`interleaved`] runs several at once |
//! | [`filtered`] | the same among the rows that a filter allows |
//! | [`code_scan`] | the codes of all rows of a set |
//! | [`code_scan_batch`] | the codes of all rows, for many queries at once |
//!
//! The [planner](super::planner) chooses between them.

pub(crate) mod beam_search;
pub(crate) mod candidate_queue;
pub(crate) mod code_scan;
pub(crate) mod code_scan_batch;
pub(crate) mod filtered;
pub(crate) mod interleaved;
pub(crate) mod rescore;
mod row_bits;
pub(crate) mod scratch;
mod visited;
