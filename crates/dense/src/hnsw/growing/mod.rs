//! The growing index: vectors without ids that are searchable as soon as they are appended, and are inserted into the
//! graph later.
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
//! Rows that are already deleted when they are inserted into the graph are *unlinked*: they get no neighbors. If such a
//! row becomes live again ([`set_deleted`](GrowingIndex::set_deleted)), it is *revived*: it is pending, too, until it
//! is linked.
//!
//! `file` describes, writes and opens files. `memory_copy` prepares an opened index for changes.

mod file;
mod index;
mod memory_copy;
mod pending;
mod search;

pub use index::GrowingIndex;
pub use memory_copy::{GraphCopy, MappedGraph};
