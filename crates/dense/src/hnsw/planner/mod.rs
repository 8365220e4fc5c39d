//! Chooses how a search is run.

mod plan;

pub(crate) use plan::{Plan, Way, most_reads};
