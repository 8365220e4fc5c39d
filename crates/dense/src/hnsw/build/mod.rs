//! Building the graph: inserting rows on several threads, and choosing their neighbors.

mod insert;
mod level;
mod select_neighbors;

pub(crate) use insert::{Job, link};
