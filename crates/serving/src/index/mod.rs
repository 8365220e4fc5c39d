//! Indexes that are searched while they change.

mod batch_search;
mod changes;
mod filter;
mod id_snapshots;
mod phrase_changes;
mod phrase_search;
mod registry;
mod rows_per_passage;
mod search;
mod shared;
mod vector_index;

pub use batch_search::{BatchParams, QueryBatch};
pub use filter::RowFilter;
pub use shared::SharedIndex;
pub use vector_index::{SearchParams, VectorIndex};
