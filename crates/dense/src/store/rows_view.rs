use super::element::Element;
use crate::{RowSet, Similarity};

/// The vectors of an index during a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowsView<'a, T = f32> {
    pub similarity: Similarity,
    pub dim: usize,
    /// The rows of a file.
    pub(super) mapped: &'a [T],
    /// The rows behind them, in memory.
    pub(super) appended: &'a [T],
    pub(super) deleted: &'a RowSet,
    /// Rows from this one on are staged.
    pub(super) published: usize,
}

impl<'a, T: Element> RowsView<'a, T> {
    /// The number of rows, including deleted and staged ones.
    pub fn len(&self) -> usize {
        (self.mapped.len() + self.appended.len()) / self.dim
    }

    /// The number of rows that can be found.
    pub fn live_len(&self) -> usize {
        self.published - self.deleted.len()
    }

    /// Whether a row is neither deleted nor staged.
    pub fn is_live(&self, ord: u32) -> bool {
        (ord as usize) < self.published && !self.deleted.contains(ord)
    }

    pub fn row(&self, ord: u32) -> &'a [T] {
        let start = ord as usize * self.dim;
        match start.checked_sub(self.mapped.len()) {
            Some(start) => &self.appended[start..][..self.dim],
            None => &self.mapped[start..][..self.dim],
        }
    }

    /// Consecutive rows from `start`: up to `max`, fewer at the end of the mapped rows and at the end.
    pub fn rows(&self, start: usize, max: usize) -> &'a [T] {
        let (part, start) = match (start * self.dim).checked_sub(self.mapped.len()) {
            Some(start) => (self.appended, start),
            None => (self.mapped, start * self.dim),
        };
        let end = part.len().min(start + max * self.dim);
        &part[start..end]
    }

    /// The score of a prepared query and a row.
    pub fn score(&self, query: &[f32], ord: u32) -> f32 {
        self.similarity.score(query, self.row(ord))
    }
}
