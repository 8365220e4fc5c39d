//! Searching the graph and the codes.

pub(crate) mod beam_search;
pub(crate) mod candidate_queue;
pub(crate) mod code_scan;
pub(crate) mod code_scan_batch;
mod filtered;
pub(crate) mod interleaved;
pub(crate) mod rescore;
mod row_bits;
pub(crate) mod scratch;
mod visited;
