//! Indexes with a row for each phrase of a passage: their [`search`], their [`changes`], and the estimate of how many
//! rows a search has to find in order to find `k` passages ([`rows_per_passage`]).

mod changes;
mod rows_per_passage;
pub(super) mod search;

pub(super) use rows_per_passage::RowsPerPassage;
