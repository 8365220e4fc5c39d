//! The writer of an index: adds, updates and deletes passages, commits, rolls back and merges.
//!
//! tantivy's writer does the work on threads of its own. Around it, this module checks ids ([`id_set`]), limits the text
//! that waits to be analyzed ([`backlog`]), records the counters of each commit, and keeps half-done changes from being
//! committed.

mod backlog;
mod commit;
mod documents;
mod id_set;
mod merge;
mod open;
pub(crate) mod options;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use tantivy::Index;

use crate::index::commit_payload::CommitPayload;
use crate::index::schema::Fields;
use crate::index::snapshot::Snapshot;
use crate::writer::backlog::Backlog;
use crate::writer::id_set::IdSet;
use crate::writer::options::WriterOptions;
use crate::{Analyzer, Error};

/// Changes a BM25 index. An index has at most one writer at a time, in any process. Its changes become visible all at once
/// when it [commits](Self::commit), and are undone if it is dropped before.
///
/// If the operating system fails, for example because the disk is full, or if a set of changes was
/// [interrupted](Self::interrupt), the writer rejects everything with [`Error::Interrupted`] until it is
/// [rolled back](Self::rollback). So an incomplete set of changes is never committed.
pub struct IndexWriter {
    path: PathBuf,
    index: Index,
    tantivy_writer: tantivy::IndexWriter,
    fields: Fields,
    /// What the next commit will record.
    payload: CommitPayload,
    analyzer: Analyzer,
    /// The last commit. While it is open, its files are not removed.
    committed: Snapshot,
    /// Whether the next commit replaces the index.
    is_overwriting: bool,
    /// Files that matched their checksums.
    verified: HashSet<PathBuf>,
    /// Ids added since the last commit.
    added: IdSet,
    /// Ids of the last commit that were deleted since.
    removed: IdSet,
    backlog: Arc<Backlog>,
    is_interrupted: bool,
    /// Whether a rollback failed. tantivy's writer has then lost its lock and must be created again.
    is_tantivy_writer_lost: bool,
    options: WriterOptions,
    merges_in_background: bool,
}

impl IndexWriter {
    /// The number of passages that the index will have after the next commit.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.payload.passages
    }

    /// Whether the index will have no passage after the next commit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The analyzer with which the index was built.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        self.analyzer.clone()
    }

    pub(super) fn check_changeable(&self) -> Result<(), Error> {
        if self.is_interrupted {
            return Err(Error::Interrupted { path: self.path.clone() });
        }
        Ok(())
    }
}

impl std::fmt::Debug for IndexWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexWriter").field("path", &self.path).field("payload", &self.payload).finish()
    }
}
