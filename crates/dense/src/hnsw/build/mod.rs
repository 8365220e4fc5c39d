//! Builds the graph: inserts rows, on several threads (Malkov and Yashunin, 2018, algorithm 1).
//!
//! [`insert_rows`] draws a level for each row (`level.rs`), finds candidates for its neighbors in each of its layers with
//! the beam search that queries use, chooses diverse ones among them (`select_neighbors.rs`), and adds the row to its
//! neighbors' lists in return.

mod insert;
mod level;
mod select_neighbors;

pub(crate) use insert::{BuildContext, insert_rows};
