//! The handle of an open collection.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use control::Control;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use serving::FairRwLock;
use sparse::{Bm25Index, Filter, IndexWriter, PassageFields, Searcher};

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
/// A change becomes visible when it is [committed](Self::commit), in all parts at once. Only one process at a time can
/// change a collection: its first change takes a lock, and closing the collection releases it. Other processes see its
/// commits when they [refresh](Self::refresh).
pub struct Collection {
    folder: PathBuf,
    id: String,
    options: OpenOptions,
    pub(crate) view: Arc<FairRwLock<View>>,
    /// The BM25 index, which is reloaded to see commits of other processes.
    reader: Bm25Index,
    /// The writer, once there was a change. Its lock is held during every change, commit and refresh.
    writer: Mutex<Option<Writer>>,
    pub(crate) graph_builder: GraphBuilder,
    is_closed: AtomicBool,
    /// Whether there are changes to commit. The writer sets it; readers need not wait for the writer.
    is_changed: Arc<AtomicBool>,
    pub(crate) handles: Handles,
}

impl Collection {
    /// Creates a collection in a new or empty folder, and opens it.
    ///
    /// # Errors
    ///
    /// [`Error::NotEmpty`]; [`Error::Dense`] for options out of range; [`Error::Sparse`] with [`sparse::Error::Locked`]
    /// if another process is creating a collection there; [`Error::Io`], other errors in [`Error::Sparse`], or
    /// [`Error::Storage`].
    pub fn create(folder: &Path, create: &CreateOptions, options: OpenOptions) -> Result<Self, Error> {
        let folder = &absolute(folder)?;
        prepare(folder)?;
        let id = uuid::Uuid::new_v4().to_string();
        let mut index = IndexWriter::create(&bm25_of(folder), create.analyzer.clone(), options.writer)?;
        let vectors = create.vectors.map(|vectors| {
            // This checks the options.
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
        Self::open(folder, options)
    }

    /// Opens the last commit of a collection.
    ///
    /// # Errors
    ///
    /// [`Error::NotACollection`], [`Error::Version`], [`Error::Corrupt`]; [`Error::Io`], [`Error::Sparse`],
    /// [`Error::Dense`] or [`Error::Storage`] if a part cannot be opened.
    pub fn open(folder: &Path, options: OpenOptions) -> Result<Self, Error> {
        let folder = &absolute(folder)?;
        let id = read_description(folder)?;
        let reader = Bm25Index::open_with(&bm25_of(folder), None, options.files)?;
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

    /// Returns true if a folder is a collection, of any version of the format.
    #[must_use]
    pub fn exists(folder: &Path) -> bool {
        is_described(folder)
    }

    /// Adds documents, or replaces those with the same ids: all of them or, on an error, none.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateDocument`], [`Error::Argument`], [`Error::Dense`] for a vector that the index cannot hold,
    /// [`Error::Sparse`] for invalid fields; [`Error::Locked`]; [`Error::Closed`]. After [`Error::Io`], every change
    /// and commit is refused until a [rollback](Self::rollback).
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

    /// Deletes the documents that have a passage that meets a filter in the last commit. Returns how many were deleted.
    ///
    /// # Errors
    ///
    /// As [`delete`](Self::delete), and those of [`Searcher::filtered`] for a filter that the index rejects.
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
    /// [`Error::UnknownDocument`]; [`Error::Argument`] for a document that was changed since the last commit; as
    /// [`put`](Self::put).
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

    /// Commits all changes. When this returns, they are on the disk, and visible to searches. Returns the number of
    /// commits so far. Without changes, this does nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Sparse`] or [`Error::Storage`]; the last commit is then the previous one or this one,
    /// and the changes must be [rolled back](Self::rollback). [`Error::Closed`].
    pub fn commit(&self) -> Result<u64, Error> {
        let _change = self.graph_builder.change();
        let mut writer = self.writer()?;
        let Some(writer) = &mut *writer else { return self.generation() };
        writer.commit()?;
        self.show_last_commit(writer)?;
        Ok(writer.committed.generation)
    }

    /// Undoes all changes since the last commit. If a commit failed after it had reached the disk, it is the last
    /// commit and stays; otherwise, the last commit is the one before it.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Sparse`] or [`Error::Corrupt`] if the last commit cannot be read; [`Error::Closed`].
    /// Even then, the changes will never be committed; call this again.
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
    /// as one unit of progress.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit); [`Error::Cancelled`], which leaves the last commit.
    pub fn optimize(&self, threads: usize, control: &Control) -> Result<u64, Error> {
        let mut writer = self.writer()?;
        let writer = self.open_writer(&mut writer)?;
        writer.commit()?;
        self.show_last_commit(writer)?;
        let optimized = self.graph_builder.paused(|| optimize(writer, &self.view, threads, control));
        let shown = self.show_last_commit(writer).and_then(|()| prepare_to_append(&self.view));
        // After an error, the rows that are not in the graph yet are inserted in the background again.
        let started = self.graph_builder.start(&self.view);
        optimized.and(shown).and(started)?;
        Ok(writer.committed.generation)
    }

    /// Switches to the last commit of any process. Returns true if it differs from the current one.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); the collection then still shows the commit that it showed before.
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
    /// [`Error::Argument`] for a search by vectors if the collection or the request has none; those of
    /// [`Searcher::filtered`] for a filter that the index rejects; [`Error::Dense`] for a vector of another dimension
    /// or with invalid values; [`Error::Cancelled`]; [`Error::Closed`].
    pub fn search(&self, request: &Request, control: &Control) -> Result<Vec<Found>, Error> {
        self.check_open()?;
        self.view.read(|view| search(view, request, control))?
    }

    /// Parses a filter from JSON: that of a [`Filter`], in which `{"documents": [...]}` selects documents by their ids.
    /// Ids that the current commit does not have are ignored.
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

    /// Returns the vector of a passage as it is stored: scaled to length 1 for cosine. `None` if the collection has no
    /// vectors, or none for this ord. A deleted passage has its vector until the collection is optimized.
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

    /// Returns what the current commit consists of.
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

    /// Returns true if there are changes that were not committed.
    ///
    /// # Errors
    ///
    /// [`Error::Closed`].
    pub fn is_changed(&self) -> Result<bool, Error> {
        self.check_open()?;
        Ok(self.is_changed.load(Ordering::Relaxed))
    }

    /// Ends work in the background, releases the lock, and refuses all later calls. Changes that were not committed are
    /// undone. Running searches finish. If many vectors were added, their graph is saved, so that it need not be built
    /// again when the collection is opened.
    ///
    /// # Errors
    ///
    /// [`Error::Sparse`] if a merge in the background failed; the last commit is intact nevertheless.
    pub fn close(&self) -> Result<(), Error> {
        let mut writer = self.writer.lock();
        self.is_closed.store(true, Ordering::Release);
        self.graph_builder.stop();
        let Some(mut writer) = writer.take() else { return Ok(()) };
        if self.is_changed.load(Ordering::Relaxed) {
            writer.rollback().ok();
        }
        // The graph is saved with the rows that searches see, so these must be those of the last commit.
        if !self.is_changed.load(Ordering::Relaxed)
            && is_worth_saving(&writer)
            && self.show_last_commit(&writer).is_ok()
        {
            // The last commit is safe without this, so an error such as a full disk changes nothing.
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

    /// Returns the writer. For the first change, opens it and shows the last commit, which may be another process's.
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

    /// Puts documents. Searches are not delayed: the lock of the view is held only while vectors are checked and copied,
    /// not while the writer waits for the indexing threads.
    fn put_with(&self, writer: &mut Writer, put: Put, documents: &[NewDocument]) -> Result<(), Error> {
        writer.check(put, documents)?;
        let copies = self.view.read(|view| vectors_to_copy(put, documents, view.vectors.as_ref()))??;
        writer.put(documents, copies)
    }

    /// Makes the last commit of this writer visible to searches, unless they see it already.
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

/// Calls `open` with the last commit. If a file is missing, a writer may have removed it after a later commit; `open` is
/// then called with that one.
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
            Err(error) if is_missing(&error) && failed.as_ref() != Some(&generation) => {
                failed = Some(generation);
            }
            result => return result,
        }
    }
}

fn is_missing(error: &Error) -> bool {
    let source = match error {
        Error::Io { source, .. } | Error::Storage(storage::Error::Io { source, .. }) => source,
        Error::Dense(dense::Error::Storage(storage::Error::Io { source, .. })) => source,
        Error::Sparse(sparse::Error::Io { source, .. }) => source,
        _ => return false,
    };
    source.kind() == std::io::ErrorKind::NotFound
}
