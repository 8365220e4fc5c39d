//! Builds the graph: inserts rows, on several threads (Malkov and Yashunin, 2018, algorithm 1).
//!
//! [`insert_rows`] draws a random level for each row (`level.rs`). In each layer up to that level, it finds candidates
//! with the beam search that queries use too, selects diverse neighbors among them (`select_neighbors.rs`), and adds
//! the row to the adjacency lists of these neighbors.

mod insert;
mod level;
mod select_neighbors;

pub(crate) use insert::{BuildContext, insert_revived_rows, insert_rows};
