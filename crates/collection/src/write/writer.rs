//! [`Writer`] adds, replaces and deletes documents, and commits these changes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use sparse::{IndexWriter, Searcher, StoredPassage, WriterOptions};

use super::owner;
use crate::document::{MAX_ID_BYTES, NewDocument, NewVector, document_of, passage_id};
use crate::folder::{bm25_of, remove_unused};
use crate::state::{State, VectorState};
use crate::vectors::live::LiveVectors;
use crate::vectors::log::LogWriter;
use crate::view::state_of;
use crate::{Error, Put};

/// The writer of a collection. It holds the lock of the BM25 index, which is the lock of the whole collection.
pub(crate) struct Writer {
    pub folder: PathBuf,
    pub index: IndexWriter,
    /// The state of the last commit.
    pub committed: State,
    /// What the next commit will record. The state of the log in it is updated only when committing.
    pub state: State,
    /// The log of vectors; `None` for a collection without vectors.
    pub log: Option<LogWriter>,
    /// Whether there are uncommitted changes. The collection shares this flag.
    pub is_changed: Arc<AtomicBool>,
}

impl Writer {
    /// Takes the lock, and removes the files and the rows of the log that killed writers left behind.
    pub fn open(
        folder: &Path,
        id: &str,
        options: WriterOptions,
        is_changed: Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        let index = IndexWriter::open(&bm25_of(folder), options).map_err(|error| match error {
            sparse::Error::Locked { .. } => {
                Error::Locked { path: folder.to_path_buf(), owner: owner::describe(folder) }
            }
            error => error.into(),
        })?;
        owner::record(folder);
        let committed = state_of(folder, id, &*index.searcher()?)?;
        remove_unused(folder, &committed);
        let log = open_log(folder, &committed)?;
        let (folder, state) = (folder.to_path_buf(), committed.clone());
        let writer = Self { folder, index, committed, state, log, is_changed };
        writer.check_next_ord()?;
        Ok(writer)
    }

    /// Fails unless the next vector of the log will get the same ord as the next passage of the BM25 index.
    fn check_next_ord(&self) -> Result<(), Error> {
        let Some(log) = &self.log else { return Ok(()) };
        let (expected, got) = (u64::from(self.index.next_ord()), log.next_ord());
        if expected != got {
            let expected = format!("vectors of {expected} passages");
            return Err(Error::corrupt(&self.folder, expected, got.to_string()));
        }
        Ok(())
    }

    /// Adds documents that have been [checked](Self::check); each replaces an existing document with the same id. If
    /// this fails, no document is added or replaced. `copies` has the vector for each [`NewVector::SameAs`], in order,
    /// and comes from [`vectors_to_copy`].
    pub fn put(&mut self, documents: &[NewDocument], copies: Vec<Vec<f32>>) -> Result<(), Error> {
        let mut copies = copies.into_iter();
        self.change(|writer| {
            for document in documents {
                let replaced = writer.remove_passages(document.id)?;
                writer.state.documents += u64::from(!replaced);
                writer.add_passages(document, &mut copies)?;
            }
            Ok(())
        })
    }

    /// Deletes documents and returns how many were deleted. Unknown ids are ignored.
    pub fn delete<S: AsRef<str>>(&mut self, documents: &[S]) -> Result<u64, Error> {
        self.change(|writer| {
            let mut deleted = 0;
            for document in documents {
                deleted += u64::from(writer.remove_passages(document.as_ref())?);
            }
            writer.state.documents -= deleted;
            Ok(deleted)
        })
    }

    /// Returns the passages of a document, with their ords, from `searcher`, which must show the last commit. Fails if
    /// that commit has no such document, or if this writer has changed the document since then.
    pub fn committed_passages(
        &self,
        operation: &'static str,
        document: &str,
        searcher: &Searcher,
    ) -> Result<Vec<(u32, StoredPassage)>, Error> {
        let mut passages = Vec::new();
        while let Some(ord) = searcher.ord(&passage_id(document, passages.len()))? {
            // False if this writer has deleted or replaced the passage since the last commit.
            if !self.index.is_committed(&passage_id(document, passages.len()))? {
                return Err(Error::argument(format!(
                    "{operation}: expected a document without changes since the last commit, got \"{document}\"; commit first"
                )));
            }
            passages.push((ord, searcher.passage(ord)?));
        }
        if passages.is_empty() {
            return Err(Error::UnknownDocument { operation, id: document.to_owned() });
        }
        Ok(passages)
    }

    /// Sets the caller's metadata.
    pub fn set_metadata(&mut self, metadata: Value) {
        if self.state.metadata != metadata {
            self.is_changed.store(true, Ordering::Relaxed);
        }
        self.state.metadata = metadata;
    }

    /// Flushes the log and commits all changes. Without changes, does nothing.
    pub fn commit(&mut self) -> Result<(), Error> {
        self.index.check_changeable()?;
        if !self.is_changed.load(Ordering::Relaxed) {
            return Ok(());
        }
        if let (Some(log), Some(vectors)) = (&mut self.log, &mut self.state.vectors) {
            vectors.log = log.sync().inspect_err(|_| self.index.interrupt())?;
        }
        self.commit_state()
    }

    /// Commits the BM25 index together with the state. All files that the state names must already be on the disk.
    pub fn commit_state(&mut self) -> Result<(), Error> {
        self.state.generation = self.committed.generation + 1;
        let state = serde_json::to_value(&self.state).expect("a state is valid JSON");
        self.index.set_state(state);
        self.index.commit()?;
        self.committed = self.state.clone();
        self.is_changed.store(false, Ordering::Relaxed);
        if let (Some(log), Some(vectors)) = (&mut self.log, &self.committed.vectors) {
            log.commit(vectors.log.clone());
        }
        Ok(())
    }

    /// Undoes all changes since the last commit. If this fails, changes and commits are refused until another rollback.
    pub fn rollback(&mut self) -> Result<(), Error> {
        self.index.rollback()?;
        self.restore().inspect_err(|_| self.index.interrupt())
    }

    /// Restores everything but the BM25 index to the last commit. The BM25 index must already have been rolled back.
    fn restore(&mut self) -> Result<(), Error> {
        // If a commit failed after its rename, it is on the disk and counts as the last commit, so its vectors must
        // stay.
        self.committed = state_of(&self.folder, &self.committed.collection, &*self.index.searcher()?)?;
        self.log = open_log(&self.folder, &self.committed)?;
        self.state = self.committed.clone();
        self.is_changed.store(false, Ordering::Relaxed);
        self.check_next_ord()
    }

    /// Undoes all changes since the last commit, waits for merges in the background, and releases the lock.
    pub fn close(self) -> Result<(), Error> {
        owner::remove(&self.folder);
        Ok(self.index.close()?)
    }

    /// Makes a change by calling `work`. If `work` fails halfway, later changes and commits are refused until a
    /// rollback.
    fn change<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let (before, documents) = ((self.index.next_ord(), self.index.len()), self.state.documents);
        let result = work(self);
        let is_changed = (self.index.next_ord(), self.index.len()) != before;
        match result {
            Err(_) if is_changed => self.index.interrupt(),
            Err(_) => self.state.documents = documents,
            Ok(_) => {}
        }
        if is_changed {
            self.is_changed.store(true, Ordering::Relaxed);
        }
        result
    }

    /// Adds the passages of a document to the BM25 index, and their vectors to the log.
    fn add_passages(
        &mut self,
        document: &NewDocument,
        copies: &mut impl Iterator<Item = Vec<f32>>,
    ) -> Result<(), Error> {
        for (number, passage) in document.passages.iter().enumerate() {
            let id = passage_id(document.id, number);
            let ord = self.index.put_stored(&id, passage.title, passage.text, document.fields)?;
            let Some(log) = &mut self.log else { continue };
            debug_assert_eq!(log.next_ord(), u64::from(ord));
            let appended = match passage.vector {
                NewVector::Given(vector) => log.append(vector),
                NewVector::SameAs(_) => log.append(&copies.next().expect("one copy per `SameAs`")),
                NewVector::None => unreachable!("`vectors_to_copy` rejects this"),
            };
            appended.inspect_err(|_| self.index.interrupt())?;
        }
        Ok(())
    }

    /// Deletes the passages of a document. Returns true if there were any.
    fn remove_passages(&mut self, document: &str) -> Result<bool, Error> {
        for number in 0.. {
            if self.index.delete(&[passage_id(document, number)])? == 0 {
                return Ok(number > 0);
            }
        }
        Ok(false)
    }

    /// Rejects documents with invalid ids or fields, documents without passages, ids that occur twice and, for
    /// [`Put::Add`], ids that the collection already has. [`vectors_to_copy`] checks the vectors.
    pub fn check(&self, put: Put, documents: &[NewDocument]) -> Result<(), Error> {
        let operation = put.name();
        let mut ids = HashSet::new();
        for document in documents {
            let id = document.id;
            if id.is_empty() || id.len() > MAX_ID_BYTES {
                let got = id.len();
                return Err(Error::argument(format!(
                    "{operation}: expected document ids of 1 to {MAX_ID_BYTES} bytes, got one of {got} bytes"
                )));
            }
            let duplicate =
                |expected, place| Error::DuplicateDocument { operation, expected, id: id.to_owned(), place };
            if !ids.insert(id) {
                return Err(duplicate("each document once", "twice in one call"));
            }
            if put == Put::Add && self.index.contains(&passage_id(id, 0))? {
                return Err(duplicate("documents with new ids", "again"));
            }
            if document.passages.is_empty() {
                return Err(Error::argument(format!(
                    "{operation}: expected at least one passage of \"{id}\", got none"
                )));
            }
            sparse::check_fields(id, document.fields)?;
        }
        Ok(())
    }
}

/// Checks the vectors of new documents before anything is changed. Returns a copy of the existing vector for each
/// [`NewVector::SameAs`], in order.
pub(crate) fn vectors_to_copy(
    put: Put,
    documents: &[NewDocument],
    vectors: Option<&LiveVectors>,
) -> Result<Vec<Vec<f32>>, Error> {
    let mut copies = Vec::new();
    for document in documents {
        for (number, passage) in document.passages.iter().enumerate() {
            let expected = |what: &str, got: &str| {
                let (operation, id) = (put.name(), passage_id(document.id, number));
                Error::argument(format!("{operation}: expected {what} for passage \"{id}\", got {got}"))
            };
            match (vectors, passage.vector) {
                (None, NewVector::None) => {}
                (None, _) => return Err(expected("no vector (the collection has none)", "one")),
                (Some(_), NewVector::None) => return Err(expected("a vector", "none")),
                (Some(vectors), NewVector::Given(vector)) => vectors.index.check(vector)?,
                (Some(vectors), NewVector::SameAs(ord)) => {
                    let missing = || expected("the ord of a passage with a vector", &ord.to_string());
                    copies.push(vectors.vector(ord).ok_or_else(missing)?.to_vec());
                }
            }
        }
    }
    Ok(copies)
}

/// Opens the log of a commit, and removes the uncommitted rows of the log.
fn open_log(folder: &Path, committed: &State) -> Result<Option<LogWriter>, Error> {
    let vectors = committed.vectors.as_ref();
    let open = |vectors: &VectorState| {
        LogWriter::open(folder, &committed.collection, vectors.log.clone(), vectors.dim)
    };
    vectors.map(open).transpose()
}

/// Takes ids of passages, and returns the ids of their documents without duplicates, in the order in which they first
/// occur.
pub(crate) fn documents_of<'a>(passages: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    let documents = passages.into_iter().filter_map(|id| Some(document_of(id)?.0));
    documents.filter(|&document| seen.insert(document)).map(str::to_owned).collect()
}
