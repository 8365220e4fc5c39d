//! The approximate index: a search walks a graph of near vectors (Malkov and Yashunin, "Efficient and robust
//! approximate nearest neighbor search using Hierarchical Navigable Small World graphs", 2018).
//!
//! `graph` holds the links in `cells`, `closeness` says what near means, `beam` walks (their algorithm 2), `select`
//! chooses links (algorithm 4), `build` inserts (algorithm 1), `plan` decides between a walk and a scan, and `file`
//! saves and checks.

mod beam;
mod build;
mod cells;
mod closeness;
mod file;
mod graph;
mod index;
mod options;
mod plan;
mod select;
mod visited;

pub use index::HnswIndex;
pub use options::{DEFAULT_EF_SEARCH, HnswOptions, InnerProduct};
