//! The search algorithms of an HNSW index. Each scores rows by their quantized codes to find candidates;
//! [`rescore`](rescore::rescore) then scores the candidates by their vectors.
//!
//! | module | finds candidates |
//! |---|---|
//! | [`beam_search`] | near the query in the graph; [`interleaved`] runs several searches in turns on one thread |
//! | [`filtered`] | near the query in the graph, among the rows that a filter allows |
//! | [`code_scan`] | by a scan over the codes of a set of rows |
//! | [`code_scan_batch`] | by one scan over the codes of all rows, for many queries together |
//!
//! The [planner](super::planner) chooses between them. Their data structures are [`candidate_queue`], `visited` and
//! `row_bits` (sets of rows); [`scratch`] has the buffers of a search.

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
