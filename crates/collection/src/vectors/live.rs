//! The vectors that searches read: the rows of the base, which were written with their graph, and then the committed
//! rows of the log, which were added later.

use std::path::Path;

use dense::{GrowingIndex, OpenOptions, RowSet};
use ranking::BitSet;
use serving::{LatencyEstimate, MAX_RESIDENT_MAPPED_BYTES};

use super::log::LogReader;
use super::row_map::RowMap;
use crate::Error;
use crate::state::VectorState;

/// Number of rows that are read from the log and appended at a time. With 384 dimensions, they take less than 1 MiB.
pub(crate) const ROWS_PER_SLICE: u64 = 512;

/// The vector index of a collection, with the ord of each row.
#[derive(Debug)]
pub(crate) struct LiveVectors {
    pub index: GrowingIndex,
    pub map: RowMap,
    /// What the commit recorded about these vectors, except that `log.rows` counts the rows appended so far.
    pub state: VectorState,
    /// The rows that searches skip: those of deleted passages, and those appended since the last call of
    /// [`publish`](Self::publish).
    hidden: RowSet,
    /// Predicts how long a search of these vectors takes.
    pub latency: LatencyEstimate,
}

impl LiveVectors {
    /// Opens the vectors of a commit. Call [`publish`](Self::publish) before the first search: it hides the rows of
    /// deleted passages and makes the rows of the log visible.
    pub fn open(folder: &Path, id: &str, state: &VectorState, options: OpenOptions) -> Result<Self, Error> {
        let damaged = || Error::corrupt(folder, "a valid similarity and valid graph options", "others");
        let (index, base_rows, ords) = match &state.base {
            None => {
                let similarity = state.similarity().ok_or_else(damaged)?;
                let graph = state.graph.options().ok_or_else(damaged)?;
                (GrowingIndex::new(state.dim, similarity, graph)?, 0, None)
            }
            Some(base) => {
                let path = folder.join(&base.file);
                let (index, metadata) = GrowingIndex::open_with(&path, options)?;
                if metadata["collection"] != id {
                    return Err(Error::corrupt(&path, "vectors of this collection", "those of another"));
                }
                if index.len() as u64 != base.rows || index.dim() != state.dim {
                    let got = format!("{} of dimension {}", index.len(), index.dim());
                    let expected = format!("{} vectors of dimension {}", base.rows, state.dim);
                    return Err(Error::corrupt(&path, expected, got));
                }
                let read = |file: &String| RowMap::read(&folder.join(file), base.rows, id, options.verify);
                (index, base.rows as u32, base.ords.as_ref().map(read).transpose()?)
            }
        };
        let map = RowMap::new(ords, base_rows, state.log.first_ord);
        let mut vectors = Self {
            index,
            map,
            state: state.clone(),
            hidden: RowSet::new(),
            latency: LatencyEstimate::default(),
        };
        vectors.state.log.rows = 0;
        let mut log = LogReader::open(folder, id, &state.log, state.dim, options.verify)?;
        while vectors.state.log.rows < state.log.rows {
            let start = vectors.state.log.rows;
            let end = state.log.rows.min(start + ROWS_PER_SLICE);
            vectors.append(&log.read(start..end)?)?;
        }
        Ok(vectors)
    }

    /// Returns whether appending rows of the log is enough to get the vectors of another commit: the commit has the
    /// same base and log, and at least as many rows in the log.
    pub fn continues_in(&self, state: &VectorState) -> bool {
        let log = &self.state.log;
        self.state.base == state.base && log.file == state.log.file && log.rows <= state.log.rows
    }

    /// Returns the vector of the passage with this ord. Returns `None` if no row belongs to the ord.
    pub fn vector(&self, ord: u32) -> Option<&[f32]> {
        let row = self.map.row(ord).filter(|&row| (row as usize) < self.index.len())?;
        Some(self.index.vector(row))
    }

    /// Returns whether searches are expected not to wait for a disk, because the memory-mapped vectors are small enough
    /// to be in the page cache.
    pub fn is_resident(&self) -> bool {
        self.index.mapped_bytes() <= MAX_RESIDENT_MAPPED_BYTES
    }

    /// Appends rows of the log, `[n * dim]`. Searches skip them until [`publish`](Self::publish) is called.
    pub fn append(&mut self, vectors: &[f32]) -> Result<(), Error> {
        let rows = self.index.append(vectors)?;
        self.state.log.rows += u64::from(rows.end - rows.start);
        rows.for_each(|row| {
            self.hidden.insert(row);
        });
        self.index.set_deleted(self.hidden.clone());
        Ok(())
    }

    /// Makes exactly those rows visible to searches whose ords are in `live_ords`, the ords of passages that are not
    /// deleted.
    pub fn publish(&mut self, live_ords: &BitSet) {
        let len = self.index.len();
        let live = self.map.rows(live_ords, len);
        self.hidden = RowSet::full(len).difference(&live);
        self.index.set_deleted(self.hidden.clone());
    }
}
