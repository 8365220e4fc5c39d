//! [`View`]: what searches see, which is always exactly one commit.

use std::path::Path;
use std::sync::Arc;

use serving::{FairRwLock, LatencyEstimate};
use sparse::{OpenOptions, Searcher};

use crate::Error;
use crate::state::State;
use crate::vectors::live::{LiveVectors, ROWS_PER_SLICE};
use crate::vectors::log::LogReader;

/// The parts of one commit. A search reads all of them under one lock, so it never mixes two commits.
pub(crate) struct View {
    pub searcher: Arc<Searcher>,
    pub state: State,
    pub vectors: Option<LiveVectors>,
    /// Predicts how long it takes to read the contents of hits from the BM25 index.
    pub contents_latency: ContentsLatency,
}

/// Estimates of the time that it takes to read the contents of one hit, which depends on the lengths of the texts.
#[derive(Debug, Default)]
pub(crate) struct ContentsLatency {
    /// Without highlights.
    pub plain: LatencyEstimate,
    /// With highlights, which must be computed.
    pub highlighted: LatencyEstimate,
}

/// Returns the state that the commit of `searcher` recorded. Fails unless the commit belongs to the collection `id`.
pub(crate) fn state_of(folder: &Path, id: &str, searcher: &Searcher) -> Result<State, Error> {
    let expected = "the state of this collection in the commit of its BM25 index";
    let corrupt = |got: String| Error::corrupt(&crate::folder::bm25_of(folder), expected, got);
    let state: State =
        serde_json::from_value(searcher.state().clone()).map_err(|error| corrupt(error.to_string()))?;
    if state.collection != id {
        return Err(corrupt(format!("that of the collection {}", state.collection)));
    }
    Ok(state)
}

impl View {
    /// Opens the parts of a commit.
    pub fn open(
        folder: &Path,
        id: &str,
        searcher: Arc<Searcher>,
        options: OpenOptions,
    ) -> Result<Self, Error> {
        let state = state_of(folder, id, &searcher)?;
        let vectors = state.vectors.as_ref().map(|vectors| {
            let mut vectors = LiveVectors::open(folder, id, vectors, options)?;
            vectors.publish(&searcher.live_ords());
            Ok::<_, Error>(vectors)
        });
        let contents_latency = ContentsLatency::default();
        Ok(Self { vectors: vectors.transpose()?, state, searcher, contents_latency })
    }
}

/// Copies the graph to memory if it is still memory-mapped, so that later changes to it do not have to copy it while
/// searches wait. Searches continue during the copy.
pub(crate) fn prepare_to_append(view: &FairRwLock<View>) -> Result<(), Error> {
    let mapped = view.read(|view| view.vectors.as_ref().and_then(|vectors| vectors.index.mapped_graph()))?;
    let Some(mapped) = mapped else { return Ok(()) };
    let copy = mapped.copy_to_memory()?;
    // The mapped graph is dropped after the lock is released.
    let _old = view.write(|view| view.vectors.as_mut().map(|vectors| vectors.index.use_copy(copy)))?;
    Ok(())
}

/// Switches the view to another commit, in all parts at once. The slow work is done first: without the lock, or in
/// slices between which searches run. Calls must not overlap.
pub(crate) fn switch(
    view: &FairRwLock<View>,
    folder: &Path,
    id: &str,
    searcher: Arc<Searcher>,
    options: OpenOptions,
) -> Result<(), Error> {
    let state = state_of(folder, id, &searcher)?;
    let appended = view.read(|view| match (&view.vectors, &state.vectors) {
        (Some(vectors), Some(next)) => vectors.continues_in(next).then_some(vectors.state.log.rows),
        _ => None,
    })?;
    let (Some(mut rows), Some(next)) = (appended, &state.vectors) else {
        let opened = View::open(folder, id, searcher, options)?;
        // The old vectors are dropped after the lock is released.
        let _old = view.write(|view| std::mem::replace(view, opened))?;
        return Ok(());
    };
    if rows < next.log.rows {
        prepare_to_append(view)?;
        let mut log = LogReader::open(folder, id, &next.log, next.dim, false)?;
        while rows < next.log.rows {
            let end = next.log.rows.min(rows + ROWS_PER_SLICE);
            let slice = log.read(rows..end)?;
            view.write(|view| view.vectors.as_mut().map_or(Ok(()), |vectors| vectors.append(&slice)))??;
            rows = end;
        }
    }
    let live = searcher.live_ords();
    let _old = view.write(|view| {
        if let Some(vectors) = &mut view.vectors {
            vectors.publish(&live);
            vectors.state = next.clone();
        }
        view.state = state.clone();
        std::mem::replace(&mut view.searcher, searcher)
    })?;
    Ok(())
}
