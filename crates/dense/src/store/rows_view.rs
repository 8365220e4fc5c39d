use super::element::Element;
use crate::{RowSet, Similarity};

/// A read-only view of the rows of an index, for a search or for building a graph. The last rows may be staged: stored,
/// but not yet published to searches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowsView<'a, T = f32> {
    pub similarity: Similarity,
    pub dim: usize,
    /// The vectors of the rows that are in a file.
    pub(super) mapped: &'a [T],
    /// The vectors of the rows after these, which are in memory.
    pub(super) appended: &'a [T],
    pub(super) deleted: &'a RowSet,
    /// The number of deleted rows among the published rows.
    pub(super) num_deleted: usize,
    /// The number of published rows. Rows whose ord is at least this number are staged.
    pub(super) published: usize,
}

impl<'a, T: Element> RowsView<'a, T> {
    /// Returns the number of rows, including deleted and staged ones.
    pub fn len(&self) -> usize {
        (self.mapped.len() + self.appended.len()) / self.dim
    }

    /// Returns the number of rows that searches can find.
    pub fn live_len(&self) -> usize {
        self.published - self.num_deleted
    }

    /// Returns whether a row is neither deleted nor staged.
    pub fn is_live(&self, ord: u32) -> bool {
        (ord as usize) < self.published && !self.deleted.contains(ord)
    }

    /// Returns a view of the first `num_rows` rows, of which `num_deleted` are deleted.
    pub fn first(&self, num_rows: usize, num_deleted: usize) -> Self {
        let (mapped, appended) = (self.mapped, self.appended);
        let num_mapped = mapped.len().min(num_rows * self.dim);
        let num_appended = num_rows * self.dim - num_mapped;
        let (mapped, appended) = (&mapped[..num_mapped], &appended[..num_appended]);
        Self { mapped, appended, num_deleted, published: self.published.min(num_rows), ..*self }
    }

    /// Returns a row's vector as it is stored.
    pub fn row(&self, ord: u32) -> &'a [T] {
        let start = ord as usize * self.dim;
        match start.checked_sub(self.mapped.len()) {
            Some(start) => &self.appended[start..][..self.dim],
            None => &self.mapped[start..][..self.dim],
        }
    }

    /// Returns the stored vectors of up to `max` consecutive rows from the row `start` on. The rows are either all
    /// mapped or all appended, because the two parts are separate slices.
    pub fn rows(&self, start: usize, max: usize) -> &'a [T] {
        let (part, start) = match (start * self.dim).checked_sub(self.mapped.len()) {
            Some(start) => (self.appended, start),
            None => (self.mapped, start * self.dim),
        };
        let end = part.len().min(start + max * self.dim);
        &part[start..end]
    }

    /// Returns the score of a [prepared](Similarity::prepare) query and a row.
    pub fn score(&self, query: &[f32], ord: u32) -> f32 {
        self.similarity.score(query, self.row(ord))
    }
}
