//! Changing an index.

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

/// Changes a BM25 index. There is one at a time, across processes. What it does is seen, all at once, when it
/// [commits](Self::commit), and undone if it is dropped before.
///
/// Where the system fails it, as on a full disk, or a set of changes ended [half-way](Self::interrupt), it refuses
/// everything with [`Error::Interrupted`] until it is [rolled back](Self::rollback): what is half done is never
/// committed.
pub struct IndexWriter {
    path: PathBuf,
    index: Index,
    engine: tantivy::IndexWriter,
    fields: Fields,
    /// As of the next commit.
    settings: CommitPayload,
    analyzer: Analyzer,
    /// The last commit, or nothing where it is to be overwritten; its files are kept from being collected.
    committed: Snapshot,
    overwriting: bool,
    checked: HashSet<PathBuf>,
    /// Ids added since the last commit.
    added: IdSet,
    /// Ids of the last commit deleted since.
    removed: IdSet,
    backlog: Arc<Backlog>,
    interrupted: bool,
    /// Whether a rollback failed. tantivy's writer has then lost its lock and must be created again.
    engine_lost: bool,
    options: WriterOptions,
    merges_in_background: bool,
}

impl IndexWriter {
    /// Passages that the index will have at the next commit.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.settings.passages
    }

    /// Whether the index will have no passage at the next commit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The analyzer that the index was made with.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        self.analyzer.clone()
    }

    pub(super) fn check_changeable(&self) -> Result<(), Error> {
        if self.interrupted {
            return Err(Error::Interrupted { path: self.path.clone() });
        }
        Ok(())
    }
}

impl std::fmt::Debug for IndexWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexWriter").field("path", &self.path).field("settings", &self.settings).finish()
    }
}
