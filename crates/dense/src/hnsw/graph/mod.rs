//! The layered graph and where its adjacency lists are.

mod adjacency;
mod layers;

pub(crate) use layers::{Graph, Links, TOP_LAYER};
