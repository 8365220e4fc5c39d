//! Repairs an index whose last commit cannot be opened although its data still exist.
//!
//! Two faults can be repaired. First, a missing impact file is rebuilt from tantivy's postings. Second, a merge by an earlier
//! version of this crate could apply a deletion that was never committed: the merged segment then has fewer passages
//! than the commit recorded. That writer kept the files of the source segments. As long as no other writer has removed
//! them, the list of segments can name the source segments again, without that deletion. If they are gone, the
//! recorded passage count is reduced to the number of remaining passages.

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

/// What a repair did. All zero if the index was intact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repair {
    /// Missing impact files that were rebuilt.
    pub rebuilt_files: u64,
    /// Passages that were restored.
    pub restored: u64,
    /// Passages of the last commit that are no longer in any file.
    pub lost: u64,
}

/// Repairs the index in a folder and checks all of its files.
///
/// # Errors
///
/// [`Error::Locked`] while a writer has it open; those of [`Bm25Index::open`](crate::Bm25Index::open) for other damage,
/// which leaves the index as it was; [`Error::Io`].
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
            let restored = expected - found;
            if let Some(rebuilt) = list.restore_merged_segments(expected)? {
                return Ok(Repair { rebuilt_files: rebuilt_files + rebuilt, restored, lost: 0 });
            }
            // The missing passages are in no readable file.
            list.accept(found)?;
            check(&index, path)?;
            Ok(Repair { rebuilt_files, restored: 0, lost: restored })
        }
        Err(error) => Err(error),
    }
}
