//! [`Collection`], the handle with which an open collection is changed, committed and searched.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use control::Control;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use serving::FairRwLock;
use sparse::{Analyzer, Bm25Index, Filter, IndexWriter, PassageFields, Searcher};

use crate::document::{NewDocument, NewPassage, NewVector};
use crate::filter;
use crate::folder::{bm25_of, describe, is_described, log_name, prepare, read_description};
use crate::graph_builder::GraphBuilder;
use crate::handles::Handles;
use crate::options::{CreateOptions, OpenOptions, Put};
use crate::search::page::{Found, search};
use crate::search::request::Request;
use crate::state::{GraphState, State, VectorState};
use crate::vectors::log::LogWriter;
use crate::view::{View, prepare_to_append, switch};
use crate::write::optimize::{is_worth_saving, optimize, save_graph};
use crate::write::writer::{Writer, documents_of, vectors_to_copy};
use crate::{Error, Stats};

/// Documents that are searched while they change. All methods can be called from several threads at once; changes run
/// one after another.
///
/// A change becomes visible when it is [committed](Self::commit): in the BM25 index and among the vectors at the same
/// time. Only one process at a time can change a collection: the first change takes a lock, and closing the collection
/// releases it. Other processes see the commits when they [refresh](Self::refresh).
pub struct Collection {
    folder: PathBuf,
    id: String,
    options: OpenOptions,
    pub(crate) view: Arc<FairRwLock<View>>,
    /// The BM25 index, which is reloaded to see commits of other processes.
    reader: Bm25Index,
    /// The writer; `None` before the first change. This mutex is locked during every change, commit and refresh.
    writer: Mutex<Option<Writer>>,
    pub(crate) graph_builder: GraphBuilder,
    is_closed: AtomicBool,
    /// Whether there are uncommitted changes. The writer sets it; reading it does not require the lock of the writer.
    is_changed: Arc<AtomicBool>,
    pub(crate) handles: Handles,
}

impl Collection {
    /// Creates a collection in a new or empty folder, and opens it.
    ///
    /// # Errors
    ///
    /// [`Error::NotEmpty`], also if another process creates a collection there at the same time, for which this call
    /// waits; [`Error::Dense`] for options out of range; [`Error::Io`], [`Error::Storage`], or [`Error::Sparse`] if a
    /// file cannot be written; the errors of [`open`](Self::open).
    pub fn create(folder: &Path, create: &CreateOptions, options: OpenOptions) -> Result<Self, Error> {
        let folder = &absolute(folder)?;
        let lock = prepare(folder)?;
        let id = uuid::Uuid::new_v4().to_string();
        let mut index = IndexWriter::create(&bm25_of(folder), create.analyzer.clone(), options.writer)?;
        let vectors = create.vectors.map(|vectors| {
            // Checks the options.
            dense::GrowingIndex::new(vectors.dim, vectors.similarity, vectors.graph)?;
            let mut log = LogWriter::create(folder, &id, log_name(1), 0, vectors.dim)?;
            Ok::<_, Error>(VectorState {
                dim: vectors.dim,
                similarity: vectors.similarity.name().to_owned(),
                graph: GraphState::new(&vectors.graph),
                base: None,
                log: log.sync()?,
            })
        });
        let state = State {
            collection: id.clone(),
            generation: 0,
            documents: 0,
            vectors: vectors.transpose()?,
            metadata: create.metadata.clone(),
        };
        index.set_state(serde_json::to_value(&state).expect("a state is valid JSON"));
        index.commit()?;
        index.close()?;
        describe(folder, &id)?;
        drop(lock);
        Self::open(folder, options)
    }

    /// Opens the last commit of a collection.
    ///
    /// # Errors
    ///
    /// [`Error::NotACollection`], [`Error::Version`], [`Error::Corrupt`]; [`Error::Io`], [`Error::Sparse`],
    /// [`Error::Dense`] or [`Error::Storage`] if a part cannot be opened.
    pub fn open(folder: &Path, options: OpenOptions) -> Result<Self, Error> {
        Self::open_expecting(folder, None, options)
    }

    /// Does the same as [`open`](Self::open), and fails if the collection was created with another analyzer than the
    /// expected one.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), and [`Error::Sparse`] with [`sparse::Error::AnalyzerMismatch`].
    pub fn open_expecting(
        folder: &Path,
        analyzer: Option<Analyzer>,
        options: OpenOptions,
    ) -> Result<Self, Error> {
        let folder = &absolute(folder)?;
        let id = read_description(folder)?;
        let reader = Bm25Index::open_with(&bm25_of(folder), analyzer, options.files)?;
        let view = with_last_commit(&reader, |searcher| View::open(folder, &id, searcher, options.files))?;
        let collection = Self {
            folder: folder.to_path_buf(),
            id,
            options,
            view: Arc::new(FairRwLock::new(view)),
            reader,
            writer: Mutex::new(None),
            graph_builder: GraphBuilder::default(),
            is_closed: false.into(),
            is_changed: Arc::default(),
            handles: Handles::default(),
        };
        collection.graph_builder.start(&collection.view)?;
        Ok(collection)
    }

    /// Returns true if a folder is a collection, in any version of the format.
    #[must_use]
    pub fn exists(folder: &Path) -> bool {
        is_described(folder)
    }

    /// Adds documents. [`Put::Upsert`] replaces documents that have the same ids. On an error, no document is added or
    /// replaced.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateDocument`], [`Error::Argument`], [`Error::Dense`] for a vector that the index rejects, such as
    /// one with a different dimension, [`Error::Sparse`] for invalid fields; [`Error::Locked`]; [`Error::Closed`].
    /// After [`Error::Io`], every change and commit is refused until a [rollback](Self::rollback).
    pub fn put(&self, put: Put, documents: &[NewDocument]) -> Result<(), Error> {
        let _change = self.graph_builder.change();
        let mut writer = self.writer()?;
        self.put_with(self.open_writer(&mut writer)?, put, documents)
    }

    /// Deletes documents and returns how many were deleted. Unknown ids are ignored.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`]; [`Error::Closed`]; [`Error::Sparse`].
    pub fn delete<S: AsRef<str>>(&self, documents: &[S]) -> Result<u64, Error> {
        let _change = self.graph_builder.change();
        let mut writer = self.writer()?;
        self.open_writer(&mut writer)?.delete(documents)
    }

    /// Deletes every document with at least one passage in the last commit that matches a filter. Returns how many
    /// documents were deleted.
    ///
    /// # Errors
    ///
    /// The errors of [`delete`](Self::delete); those of [`Searcher::filtered`] if the index rejects the filter.
    pub fn delete_matching(&self, filter: &Filter, control: &Control) -> Result<u64, Error> {
        let _change = self.graph_builder.change();
        let mut writer = self.writer()?;
        let writer = self.open_writer(&mut writer)?;
        let searcher = self.view.read(|view| Arc::clone(&view.searcher))?;
        let ords = searcher.filtered(Some(filter), control)?.ords();
        let hits: Vec<_> = ords.iter().map(|ord| ranking::Hit { ord, score: 0.0 }).collect();
        let passages = searcher.ids(&hits)?;
        writer.delete(&documents_of(passages.iter().map(String::as_str)))
    }

    /// Replaces the fields of a document of the last commit. Its passages keep their vectors.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownDocument`]; [`Error::Argument`] for a document that was changed since the last commit; the
    /// errors of [`put`](Self::put).
    pub fn set_fields(&self, document: &str, fields: &PassageFields) -> Result<(), Error> {
        let _change = self.graph_builder.change();
        let mut writer = self.writer()?;
        let writer = self.open_writer(&mut writer)?;
        let (searcher, has_vectors) =
            self.view.read(|view| (Arc::clone(&view.searcher), view.vectors.is_some()))?;
        let passages = writer.committed_passages("setFields", document, &searcher)?;
        let vector = |ord| if has_vectors { NewVector::SameAs(ord) } else { NewVector::None };
        let passages: Vec<_> = passages
            .iter()
            .map(|(ord, passage)| NewPassage {
                title: passage.title.as_deref(),
                text: &passage.text,
                vector: vector(*ord),
            })
            .collect();
        self.put_with(writer, Put::Upsert, &[NewDocument { id: document, passages: &passages, fields }])
    }

    /// Sets the caller's metadata, which the next commit records.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`]; [`Error::Closed`].
    pub fn set_metadata(&self, metadata: Value) -> Result<(), Error> {
        let mut writer = self.writer()?;
        self.open_writer(&mut writer)?.set_metadata(metadata);
        Ok(())
    }

    /// Commits all changes. When this returns, the changes are on the disk and visible to searches. Returns the number
    /// of commits so far. Without changes, this makes no commit.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Sparse`] or [`Error::Storage`]. After such an error, this commit may or may not be on
    /// the disk, and the changes must be [rolled back](Self::rollback). [`Error::Closed`].
    pub fn commit(&self) -> Result<u64, Error> {
        let _change = self.graph_builder.change();
        let mut writer = self.writer()?;
        let Some(writer) = &mut *writer else { return self.generation() };
        writer.commit()?;
        self.show_last_commit(writer)?;
        Ok(writer.committed.generation)
    }

    /// Undoes all changes since the last commit. A commit that failed after it had reached the disk counts as the last
    /// commit, so it is not undone.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Sparse`] or [`Error::Corrupt`] if the last commit cannot be read; [`Error::Closed`].
    /// Even after such an error, the changes will never be committed. Call this method again to retry.
    pub fn rollback(&self) -> Result<(), Error> {
        match &mut *self.writer()? {
            Some(writer) => {
                writer.rollback()?;
                self.show_last_commit(writer)
            }
            None => Ok(()),
        }
    }

    /// Commits all changes, merges all segments, drops deleted passages, and completes the graph on `threads` threads
    /// (0: one per CPU). Searches continue meanwhile; changes wait. Counts each vector that it inserts into the graph
    /// as one unit of progress. Returns the number of commits so far.
    ///
    /// # Errors
    ///
    /// The errors of [`commit`](Self::commit); [`Error::Canceled`], after which the changes remain committed.
    pub fn optimize(&self, threads: usize, control: &Control) -> Result<u64, Error> {
        let mut writer = self.writer()?;
        let writer = self.open_writer(&mut writer)?;
        writer.commit()?;
        self.show_last_commit(writer)?;
        let optimized = self.graph_builder.paused(|| optimize(writer, &self.view, threads, control));
        let shown = self.show_last_commit(writer).and_then(|()| prepare_to_append(&self.view));
        // After an error, the background thread inserts the rows that are not in the graph yet.
        let started = self.graph_builder.start(&self.view);
        optimized.and(shown).and(started)?;
        Ok(writer.committed.generation)
    }

    /// Switches to the last commit of any process. Returns true if the collection showed another commit before. If this
    /// process has the lock for changes, no other process can have committed, so this does nothing and returns false.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open), after which the collection still shows the same commit as before.
    pub fn refresh(&self) -> Result<bool, Error> {
        let writer = self.writer()?;
        if writer.is_some() {
            return Ok(false);
        }
        let before = self.generation()?;
        with_last_commit(&self.reader, |searcher| self.show(searcher))?;
        Ok(self.generation()? != before)
    }

    /// Returns the hits of a request.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a search by vectors if the collection has no vectors or the request has no vector; the
    /// errors of [`Searcher::filtered`] if the index rejects the filter; [`Error::Dense`] for a vector with a different
    /// dimension or with invalid values; [`Error::Canceled`]; [`Error::Closed`].
    pub fn search(&self, request: &Request, control: &Control) -> Result<Vec<Found>, Error> {
        self.check_open()?;
        self.view.read(|view| search(view, request, control))?
    }

    /// Parses a filter from JSON. The JSON is that of a [`Filter`], which may also contain `{"documents": [...]}` to
    /// select documents by their ids. Ids that the current commit does not have are ignored.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for other JSON; [`Error::Sparse`] if the index cannot be read; [`Error::Closed`].
    pub fn parse_filter(&self, json: &str) -> Result<Filter, Error> {
        filter::parse(json, &*self.searcher()?)
    }

    /// Returns the BM25 searcher of the current commit. It keeps showing this commit.
    ///
    /// # Errors
    ///
    /// [`Error::Closed`].
    pub fn searcher(&self) -> Result<Arc<Searcher>, Error> {
        self.check_open()?;
        Ok(self.view.read(|view| Arc::clone(&view.searcher))?)
    }

    /// Returns the vector of the passage with this ord, as it is stored: scaled to length 1 for cosine. Returns `None`
    /// if the collection has no vectors, or no vector for this ord. A deleted passage keeps its vector until the
    /// collection is optimized.
    ///
    /// # Errors
    ///
    /// [`Error::Closed`].
    pub fn vector(&self, ord: u32) -> Result<Option<Vec<f32>>, Error> {
        self.check_open()?;
        Ok(self.view.read(|view| Some(view.vectors.as_ref()?.vector(ord)?.to_vec()))?)
    }

    /// Returns the metadata of the current commit.
    ///
    /// # Errors
    ///
    /// [`Error::Closed`].
    pub fn metadata(&self) -> Result<Value, Error> {
        self.check_open()?;
        Ok(self.view.read(|view| view.state.metadata.clone())?)
    }

    /// Returns statistics of the current commit.
    ///
    /// # Errors
    ///
    /// [`Error::Closed`].
    pub fn stats(&self) -> Result<Stats, Error> {
        self.check_open()?;
        Ok(self.view.read(|view| Stats {
            generation: view.state.generation,
            documents: view.state.documents,
            passages: view.searcher.len(),
            segments: view.searcher.segments(),
            dim: view.vectors.as_ref().map(|vectors| vectors.index.dim()),
            pending: view.vectors.as_ref().map_or(0, |vectors| vectors.index.pending()),
            memory_bytes: view.vectors.as_ref().map_or(0, |vectors| vectors.index.memory_bytes()),
        })?)
    }

    /// Returns true if there are uncommitted changes.
    ///
    /// # Errors
    ///
    /// [`Error::Closed`].
    pub fn is_changed(&self) -> Result<bool, Error> {
        self.check_open()?;
        Ok(self.is_changed.load(Ordering::Relaxed))
    }

    /// Ends work in the background, releases the lock, and makes all later calls fail. Uncommitted changes are undone.
    /// Running searches finish. If many vectors were added, their graph is saved, so that it does not have to be built
    /// again when the collection is opened.
    ///
    /// # Errors
    ///
    /// [`Error::Sparse`] if a merge in the background failed. The last commit is intact even after such an error.
    pub fn close(&self) -> Result<(), Error> {
        let mut writer = self.writer.lock();
        self.is_closed.store(true, Ordering::Release);
        self.graph_builder.stop();
        let Some(mut writer) = writer.take() else { return Ok(()) };
        if self.is_changed.load(Ordering::Relaxed) {
            writer.rollback().ok();
        }
        // The graph is saved with the rows that searches see, so searches must see the last commit.
        if !self.is_changed.load(Ordering::Relaxed)
            && is_worth_saving(&writer)
            && self.show_last_commit(&writer).is_ok()
        {
            // The last commit is complete without a saved graph, so an error such as a full disk is ignored.
            self.graph_builder.paused(|| save_graph(&mut writer, &self.view)).ok();
        }
        writer.close()
    }

    fn generation(&self) -> Result<u64, Error> {
        Ok(self.view.read(|view| view.state.generation)?)
    }

    pub(crate) fn check_open(&self) -> Result<(), Error> {
        if self.is_closed.load(Ordering::Acquire) { Err(Error::Closed) } else { Ok(()) }
    }

    /// Locks the writer, which may not be open yet.
    fn writer(&self) -> Result<MutexGuard<'_, Option<Writer>>, Error> {
        let writer = self.writer.lock();
        self.check_open()?;
        Ok(writer)
    }

    /// Returns the writer. Before the first change, opens the writer and makes the last commit visible to searches,
    /// because another process may have made it.
    fn open_writer<'w>(&self, writer: &'w mut Option<Writer>) -> Result<&'w mut Writer, Error> {
        if writer.is_none() {
            let opened =
                Writer::open(&self.folder, &self.id, self.options.writer, Arc::clone(&self.is_changed))?;
            self.show(opened.index.searcher()?)?;
            prepare_to_append(&self.view)?;
            *writer = Some(opened);
        }
        Ok(writer.as_mut().expect("it was opened above"))
    }

    /// Adds or replaces documents. Searches are not delayed: the lock of the view is held only while vectors are
    /// checked and copied, not while the writer waits for the indexing threads.
    fn put_with(&self, writer: &mut Writer, put: Put, documents: &[NewDocument]) -> Result<(), Error> {
        writer.check(put, documents)?;
        let copies = self.view.read(|view| vectors_to_copy(put, documents, view.vectors.as_ref()))??;
        writer.put(documents, copies)
    }

    /// Makes the last commit of the writer visible to searches, unless they already see it.
    fn show_last_commit(&self, writer: &Writer) -> Result<(), Error> {
        if self.generation()? == writer.committed.generation {
            return Ok(());
        }
        self.show(writer.index.searcher()?)
    }

    /// Makes a commit visible to searches.
    fn show(&self, searcher: Arc<Searcher>) -> Result<(), Error> {
        switch(&self.view, &self.folder, &self.id, searcher, self.options.files)?;
        self.graph_builder.start(&self.view)
    }
}

impl std::fmt::Debug for Collection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collection")
            .field("folder", &self.folder)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Returns the absolute path, because the process may change its working directory while the collection is open.
fn absolute(folder: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(folder).map_err(Error::io("open", folder))
}

/// Calls `open` with the last commit. If a file is missing, a writer may have removed it after a later commit, so
/// `open` is then called with the later commit. Fails with [`Error::Corrupt`] if a file of the same commit is missing
/// twice.
fn with_last_commit<T>(
    reader: &Bm25Index,
    mut open: impl FnMut(Arc<Searcher>) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut failed = None;
    loop {
        reader.reload()?;
        let searcher = reader.searcher();
        let generation = searcher.state()["generation"].clone();
        match open(searcher) {
            Err(error) => {
                let Some(path) = missing_file(&error) else { return Err(error) };
                if failed.as_ref() == Some(&generation) {
                    return Err(Error::corrupt(path, "a file of the last commit", "no such file"));
                }
                failed = Some(generation);
            }
            opened => return opened,
        }
    }
}

/// Returns the path of the file if the error is that a file does not exist.
fn missing_file(error: &Error) -> Option<&Path> {
    let (path, source) = match error {
        Error::Io { path, source, .. }
        | Error::Storage(storage::Error::Io { path, source, .. })
        | Error::Dense(dense::Error::Storage(storage::Error::Io { path, source, .. }))
        | Error::Sparse(sparse::Error::Io { path, source, .. }) => (path, source),
        _ => return None,
    };
    (source.kind() == std::io::ErrorKind::NotFound).then_some(path)
}
