//! Staging: a large batch is added in slices, so that searches wait for one slice at most, not for the whole batch.
//! Staged rows are stored and, in an HNSW index, inserted into the graph, but no search finds them. In the end, all
//! staged rows are published together or discarded.

use std::collections::HashMap;

use super::checks::{check_capacity, check_shape};
use super::element::Element;
use super::rows::Rows;
use super::staged::{Put, Staged};
use crate::Error;

/// Number of vectors that are checked together. The check may copy them, so this limits the memory that it takes.
const ROWS_PER_CHECK: usize = 4096;

impl<T: Element> Rows<T> {
    /// Begins a slice: rows that are appended until [`close_stage`](Self::close_stage) are staged.
    pub fn open_stage(&mut self, put: Put) {
        let first = self.len();
        let staged =
            self.ids.staged_mut().get_or_insert(Staged { first, put, is_open: true, replaced: Vec::new() });
        (staged.put, staged.is_open) = (put, true);
    }

    /// Ends a slice.
    pub fn close_stage(&mut self) {
        if let Some(staged) = self.ids.staged_mut() {
            staged.is_open = false;
        }
    }

    /// Publishes the staged rows and deletes the rows that they replace. Returns a pair of ords for each replaced row:
    /// its own and that of its replacement.
    pub fn publish(&mut self) -> Vec<(u32, u32)> {
        let replaced = self.ids.staged_mut().take().map_or_else(Vec::new, |staged| staged.replaced);
        replaced.iter().for_each(|&(old, _)| self.mark_deleted(old));
        replaced
    }

    /// Deletes the staged rows.
    pub fn discard_staged(&mut self) {
        if let Some(staged) = self.ids.staged_mut().take() {
            (staged.first..self.len()).for_each(|ord| self.mark_deleted(ord as u32));
        }
    }

    /// Checks a whole batch, its ids and vectors `[n * dim]`, before it is staged in slices. Fails for ids,
    /// vectors or a number of rows that staging would reject, and if an id appears twice in the batch.
    pub fn check<S: AsRef<str>>(&self, put: Put, ids: &[S], vectors: &[f32]) -> Result<(), Error> {
        let (operation, dim) = (put.operation(), self.dim);
        check_shape(operation, dim, ids.len(), vectors)?;
        check_capacity(self.len(), ids.len())?;
        let mut rows = HashMap::with_capacity(ids.len());
        for (row, id) in ids.iter().enumerate() {
            let id = id.as_ref();
            let duplicate = |first| Error::DuplicateId { operation, id: id.to_owned(), row, first };
            if id.is_empty() {
                return Err(Error::EmptyId { operation, row });
            }
            if let Some(first) = rows.insert(id, row) {
                return Err(duplicate(Some(first)));
            }
            match (put, self.ids.ord(id)) {
                (Put::Add, Some(_)) => return Err(duplicate(None)),
                (Put::Update, None) => return Err(Error::UnknownId { operation, id: id.to_owned(), row }),
                _ => {}
            }
        }
        for (at, vectors) in vectors.chunks(ROWS_PER_CHECK * dim).enumerate() {
            let prepared = self.similarity.prepare(operation, dim, vectors);
            let stored = prepared.and_then(|vectors| T::encode(dim, vectors));
            stored.map_err(|error| error.with_row_offset(at * ROWS_PER_CHECK))?;
        }
        Ok(())
    }
}
