//! The writer of an index: adds, updates and deletes passages, commits, rolls back and merges.
//!
//! [`open`] creates or opens an index, [`documents`] adds, updates and deletes passages, [`commit`] commits these
//! changes or undoes them, [`merge`] merges all segments, and [`merge_policy`] chooses the segments that are merged in
//! the background. [`options`] has the number of threads and the memory.
//!
//! tantivy's writer collects passages and writes segments on its own threads, on which our plugins
//! ([`postings`](crate::postings), [`passages`](crate::passages)) run. In addition, these modules
//!
//! - reject a new passage whose id is in use ([`id_set`] has the ids that were added or deleted since the last commit);
//! - limit the text that waits to be analyzed ([`backlog`]);
//! - store with each commit the number of passages and the ord of the next passage ([`CommitPayload`]);
//! - make a commit durable before the files of the previous commit are removed ([`durable_directory`]);
//! - reject a commit after a call that failed halfway, with only some of its changes made
//!   ([`IndexWriter::all_or_none`]).

pub(crate) mod backlog;
mod commit;
pub(crate) mod documents;
pub(crate) mod durable_directory;
mod id_set;
mod merge;
mod merge_policy;
mod open;
pub(crate) mod options;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tantivy::Index;

use crate::index::commit_payload::CommitPayload;
use crate::index::schema::Fields;
use crate::postings::PassageAnalysis;
use crate::search::searcher::Searcher;
use crate::writer::backlog::Backlog;
use crate::writer::durable_directory::{Commit, DurableDirectory};
use crate::writer::id_set::IdSet;
use crate::writer::options::WriterOptions;
use crate::{Analyzer, Error};

/// Changes a BM25 index. Only one writer can have an index open at a time, even if several processes use the index. The
/// writer's changes become visible all at once when it [commits](Self::commit), and are undone if the writer is dropped
/// without a commit.
///
/// If tantivy fails to add a passage or to commit, for example because the disk is full, the writer discards the
/// changes since the last commit. It then rejects further changes, commits and merges with [`Error::Interrupted`] until
/// the caller has [rolled it back](Self::rollback), so that a commit never has only some of the changes. A caller that
/// could not make all of its changes calls [`interrupt`](Self::interrupt); the writer then rejects the same calls until
/// it is rolled back.
pub struct IndexWriter {
    path: PathBuf,
    directory: DurableDirectory,
    index: Index,
    analysis: PassageAnalysis,
    tantivy_writer: tantivy::IndexWriter,
    fields: Fields,
    /// What the next commit will record.
    payload: CommitPayload,
    analyzer: Analyzer,
    /// The last commit. While it is open, its files are not removed.
    committed: Arc<Searcher>,
    /// True if the next commit replaces all passages of the index.
    is_overwriting: bool,
    /// Files that matched their checksums.
    verified: HashSet<PathBuf>,
    /// Ids added since the last commit.
    added: IdSet,
    /// Ids of the last commit that were deleted after it.
    removed: IdSet,
    /// Limits the text that waits to be analyzed.
    backlog: Arc<Backlog>,
    /// True if the writer must be rolled back before it accepts changes, commits or merges.
    is_interrupted: bool,
    /// The commit in progress, from its start until it succeeds or, if it fails, until the next rollback.
    unfinished_commit: Option<Commit>,
    /// True if a rollback failed. tantivy's writer can then change nothing, and must be replaced. It may also have lost
    /// the writer lock.
    is_tantivy_writer_lost: bool,
    options: WriterOptions,
    merges_in_background: bool,
}

impl IndexWriter {
    /// Returns the number of passages that the index will have after the next commit.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.payload.passages
    }

    /// Returns true if the index will have no passages after the next commit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the ord that the next added passage will get. All ords in the index are below it.
    #[must_use]
    pub fn next_ord(&self) -> u32 {
        // `put` rejects passages before this number overflows.
        u32::try_from(self.payload.next_ord).unwrap_or(u32::MAX)
    }

    /// Sets the state that the next commit will record: a JSON value for the caller's own use, for example a position
    /// in a log. It becomes visible together with the passages of the commit, as [`Searcher::state`]. With null, the
    /// commit records no state.
    ///
    /// A [rollback](Self::rollback) restores the state of the last commit. A writer that overwrites an index begins
    /// without a state.
    pub fn set_state(&mut self, state: Value) {
        self.payload.state = state;
    }

    /// Returns the state that the next commit will record: the one that was [set](Self::set_state) since the last
    /// commit, or else the state of the last commit.
    #[must_use]
    pub fn state(&self) -> &Value {
        &self.payload.state
    }

    /// Returns a searcher for the last commit. The searcher is already open, so this call is cheap. The
    /// searcher does not see later additions and deletions, nor later background merges, whose only visible effect is
    /// that deleted passages no longer count in the [statistics](crate::Statistics).
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if the last rollback failed; the writer must then be rolled back again.
    pub fn searcher(&self) -> Result<Arc<Searcher>, Error> {
        if self.is_tantivy_writer_lost {
            return Err(Error::Interrupted { path: self.path.clone() });
        }
        Ok(Arc::clone(&self.committed))
    }

    /// Returns the analyzer of the index.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        self.analyzer.clone()
    }

    /// Fails if the writer must be rolled back before it accepts changes, commits or merges.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if so.
    pub fn check_changeable(&self) -> Result<(), Error> {
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
