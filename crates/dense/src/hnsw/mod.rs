//! The approximate index: its rows are the nodes of a graph with edges between near rows, along which a search moves
//! toward the query (Malkov and Yashunin, "Efficient and Robust Approximate Nearest Neighbor Search Using Hierarchical
//! Navigable Small World Graphs", 2018).
//!
//! An [`HnswIndex`] (`index`) consists of a [store](crate::store) of vectors with ids and a `graph_index`: the
//! [quantized codes](codes) of the vectors, and a [graph]. `graph_index` also plans and runs searches.
//!
//! A [`GrowingIndex`] (`growing`) has no ids, and its rows are searchable before they are in the graph.
//!
//! - `build` inserts rows into the graph.
//! - `planner` decides how a search is run, and `search` runs it: as a beam search in the graph, or as a scan over
//!   codes.
//! - `scorer` scores rows by their codes. Building and searching use it; a search finally scores its candidates by
//!   their vectors.
//! - `squared_lengths` has the squared length of each row, which only graphs for inner products with the option
//!   `InnerProduct::AugmentedL2` need.
//! - `options` has the options that are stored in files.
//!
//! The file format of an HNSW index, version 4, is a container of the crate `storage`. All numbers are little-endian,
//! and equal indexes have equal files on every CPU. It has the sections below, followed by those of the graph and the
//! codes, which `graph_index/file.rs` describes.
//!
//! | section | contents |
//! |---|---|
//! | `vectors` | `[rows, dim]` f32, scaled to length 1 for cosine |
//! | `ids` | the UTF-8 bytes of all ids, one after another, without separators |
//! | `id_ends` | u64 per row: the offset in `ids` at which its id ends |
//! | `deleted` | one bit per row, in u64 words, up to the last deleted row |
//!
//! The file's metadata has the keys `dim`, `rows`, `similarity`, `metadata` (the caller's), and those of the graph.

mod build;
mod codes;
mod graph;
mod graph_index;
mod growing;
mod index;
mod options;
mod planner;
mod scorer;
mod search;
mod squared_lengths;

pub use growing::{GraphCopy, GrowingIndex, MappedGraph};
pub use index::HnswIndex;
pub use options::{DEFAULT_EF_SEARCH, HnswOptions, InnerProduct, Layout};
pub use planner::{ForcedStrategy, SearchCosts};
