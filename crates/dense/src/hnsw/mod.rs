//! The approximate index: a search follows a graph of near rows toward the query (Malkov and Yashunin, "Efficient and Robust
//! Approximate Nearest Neighbor Search Using Hierarchical Navigable Small World Graphs", 2018).
//!
//! [`HnswIndex`] is vectors in a [store](crate::store), their [quantized codes](codes) and a [graph] whose nodes they are.
//!
//! - `build` inserts rows into the graph.
//! - `planner` decides how a search is run, and `search` runs it: as a beam search of the graph, or as a scan over codes.
//! - `scorer` scores rows by their codes, for both. What a search found is scored by the vectors in the end.
//! - `file` describes, writes and checks files.

mod build;
mod codes;
mod file;
mod graph;
mod index;
mod options;
mod planner;
mod scorer;
mod search;
mod squared_lengths;

pub use index::HnswIndex;
pub use options::{DEFAULT_EF_SEARCH, HnswOptions, InnerProduct, Layout};
