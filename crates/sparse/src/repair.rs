//! Repairs an index that has missing or damaged impact files, if its passages are stored: analyzes the passages of the
//! segments again. No other damage can be repaired.

use std::collections::HashSet;
use std::path::Path;

use tantivy::TantivyError;
use tantivy::directory::{Directory, INDEX_WRITER_LOCK};

use crate::Error;
use crate::index::commit_payload::CommitPayload;
use crate::index::open::open_index;
use crate::index::schema::schema;
use crate::index::snapshot::Snapshot;
use crate::index::tantivy_error::tantivy_error;
use crate::postings::rebuild_damaged;

/// What a repair did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repair {
    /// Number of missing or corrupt impact files that were rebuilt; 0 if the index was intact.
    pub rebuilt_files: u64,
}

/// Repairs the index in a folder and checks all of its files.
///
/// # Errors
///
/// [`Error::Locked`] while a writer has the index open; the errors of [`Bm25Index::open`](crate::Bm25Index::open) for
/// damage that cannot be repaired, after which only impact files may have changed; [`Error::Io`].
pub(crate) fn repair(path: &Path) -> Result<Repair, Error> {
    let index = open_index(path)?;
    let error = |error| tantivy_error("repair", path, error);
    let locked = index.directory().acquire_lock(&INDEX_WRITER_LOCK);
    let _lock = locked.map_err(|failed| error(TantivyError::LockFailure(failed, None)))?;
    let payload = index.load_metas().map_err(error)?.payload;
    let analyzer = CommitPayload::parse(payload.as_deref(), path)?.analyzer.load(path)?;
    let (_, fields) = schema();
    let rebuilt_files = rebuild_damaged(&index, path, &analyzer, fields.stored).map_err(error)?;
    Snapshot::open(&index, path, &mut HashSet::new(), u64::MAX)?;
    Ok(Repair { rebuilt_files })
}

#[cfg(test)]
mod tests;
