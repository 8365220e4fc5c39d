//! The layered graph (Malkov and Yashunin, 2018) and its adjacency lists.
//!
//! Every row is a node. A row of level `l` is in layers 0 to `l`, so layer 0 has all rows. In each of its layers, a row
//! has an adjacency list: up to `2 * m` neighbors in layer 0, up to `m` in each layer above.
//!
//! ```text
//! layer0:   row 0 | row 1 | row 2 | row 3 | …         one list per row
//! upper:    row 1, layer 1 | row 1, layer 2 | row 3, layer 1 | …
//! offsets:  0, 0, 2, 2, 3, …                          row r has the lists upper[offsets[r]..offsets[r + 1]]
//! ```
//!
//! In files, `layer0` is called `ground`. [`Graph`] owns the lists, in memory or in a mapped file. Searching and
//! building use its [`GraphView`]. `adjacency.rs` describes how a list is stored.

mod adjacency;
mod layers;

pub(crate) use layers::{Graph, GraphView, MAX_LEVEL};
