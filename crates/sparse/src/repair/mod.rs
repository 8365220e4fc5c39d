//! Repairs an index whose last commit cannot be opened.
//!
//! Two faults can be repaired:
//!
//! - An impact file is missing or corrupt. It is rebuilt by analyzing the passages of its segment again, if all of them
//!   are stored.
//! - A merge by an earlier version of this crate applied a deletion that was never committed. The merged segment then
//!   has fewer passages than the commit recorded. As long as no writer has removed the files of the source segments,
//!   the repair puts the source segments, without that deletion, back into tantivy's list of segments, in place of the
//!   merged segment. If the files are gone, it reduces the recorded number of passages to the number of remaining
//!   passages.

mod segment_list;
#[cfg(test)]
mod tests;

use std::path::Path;

use tantivy::TantivyError;
use tantivy::directory::{Directory, INDEX_WRITER_LOCK};

use crate::Error;
use crate::index::open::open_index;
use crate::index::tantivy_error::tantivy_error;
use segment_list::{SegmentList, check, rebuild_impacts};

/// What a repair did. All counts are zero if the index was intact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repair {
    /// Number of missing or corrupt impact files that were rebuilt.
    pub rebuilt_files: u64,
    /// Number of passages that were restored.
    pub restored: u64,
    /// Number of passages of the last commit that are no longer in any readable file.
    pub lost: u64,
}

/// Repairs the index in a folder and checks all of its files.
///
/// # Errors
///
/// [`Error::Locked`] while a writer has the index open; the errors of [`Bm25Index::open`](crate::Bm25Index::open) for
/// damage that cannot be repaired, after which only impact files may have changed; [`Error::Io`].
pub(crate) fn repair(path: &Path) -> Result<Repair, Error> {
    let index = open_index(path)?;
    let locked = index.directory().acquire_lock(&INDEX_WRITER_LOCK);
    let _lock =
        locked.map_err(|error| tantivy_error("repair", path, TantivyError::LockFailure(error, None)))?;
    let rebuilt_files = rebuild_impacts(&index, path)?;
    match check(&index, path) {
        Ok(()) => Ok(Repair { rebuilt_files, ..Repair::default() }),
        Err(Error::MissingPassages { expected, found, .. }) => {
            let list = SegmentList::read(&index, path)?;
            let missing = expected - found;
            if let Some(rebuilt) = list.restore_merged_segments(expected)? {
                return Ok(Repair { rebuilt_files: rebuilt_files + rebuilt, restored: missing, lost: 0 });
            }
            // The missing passages are in no readable file.
            list.record_passage_count(found)?;
            check(&index, path)?;
            Ok(Repair { rebuilt_files, restored: 0, lost: missing })
        }
        Err(error) => Err(error),
    }
}
