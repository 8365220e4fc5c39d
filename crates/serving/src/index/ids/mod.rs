//! Ids of an index that changes: [`cursor`] reads them in several calls, and [`snapshots`] looks up the ids of hits
//! that were found before the index changed.

mod cursor;
mod snapshots;

pub use cursor::IdCursor;
pub(super) use snapshots::IdSnapshots;
