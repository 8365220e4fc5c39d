//! The growing index: vectors without ids whose rows are searchable as soon as they are appended, while the graph is
//! built behind them.
//!
//! A [`GrowingIndex`] (`index`) consists of vectors and a [`GraphIndex`](super::graph_index::GraphIndex). The rows
//! after the last one in the graph are *pending*. `search` merges a search of the graph with a scan of the pending rows
//! (`pending`).
//!
//! ```text
//! rows     0 1 2 3 4 5 6 7 8 9 … 99 | 100 101 102 …
//!          in the graph             | pending: have vectors and codes
//! ```
//!
//! Rows that are deleted when their turn comes are not linked: they get no neighbors. Such rows can come back to life
//! ([`set_deleted`](GrowingIndex::set_deleted)); they are then pending, too, until they are linked.
//!
//! `file` describes, writes and reads files. `memory_copy` prepares an opened index for changes.

mod file;
mod index;
mod memory_copy;
mod pending;
mod search;

pub use index::GrowingIndex;
pub use memory_copy::{GraphCopy, MappedGraph};
