//! Indexes that are searched while they change. [`SharedIndex`] is such an index. Its methods are spread over several
//! of these modules:
//!
//! | module | contents |
//! |---|---|
//! | `shared` | the index with its lock, and what can be read without the lock |
//! | `vector_index` | one type for flat and HNSW indexes |
//! | `search`, `batch_search` | searches with one query and with many |
//! | `changes` | adding, replacing and deleting rows; compaction |
//! | `phrases` | searches and changes of an index with a row for each phrase of a passage |
//! | `filters` | filters that stay valid while the index changes, and their creation |
//! | `ids` | reads the ids of an index in several calls; looks up the ids of hits that were found before a change |
//! | `registry` | tokens (strings) with which other threads of the process find an index |

mod batch_search;
mod changes;
mod filters;
mod ids;
mod phrases;
mod registry;
mod search;
mod shared;
mod vector_index;

pub use batch_search::{BatchParams, QueryBatch};
pub use filters::RowFilter;
pub use ids::IdCursor;
pub use shared::{MAX_RESIDENT_MAPPED_BYTES, SharedIndex};
pub use vector_index::{SearchParams, VectorIndex};
