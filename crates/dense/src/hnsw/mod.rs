//! The approximate index: a search walks a graph of near vectors (Malkov and Yashunin, "Efficient and robust
//! approximate nearest neighbor search using Hierarchical Navigable Small World graphs", 2018).
//!
//! `graph` holds the links in `cells`, `codes` the rows in a few bits a number, by which `closeness` says what near means.
//! `walk` walks (their algorithm 2) with a `pool` of the nearest and the `visited`, several at a time in `interleave`, and
//! `rescore` scores what it found by the rows themselves. `filtered` walks among the rows that a filter allows; where they
//! are few, `sweep` compares the codes of all, and `sweep_many` does so for many queries at once. `select` chooses links
//! (algorithm 4), `build` inserts (algorithm 1), `plan` decides between all these and a scan, and `file` saves and checks.

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
