use crate::RowSet;
use crate::Similarity;
use crate::store::element::Element;

/// The vectors of an index while it is searched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a, T = f32> {
    pub similarity: Similarity,
    pub dim: usize,
    base: &'a [T],
    tail: &'a [T],
    deleted: &'a RowSet,
    /// Rows from this one on are staged.
    shown: usize,
}

impl<'a, T: Element> View<'a, T> {
    /// The rows of `base`, then those of `tail`.
    pub fn new(
        similarity: Similarity,
        dim: usize,
        (base, tail): (&'a [T], &'a [T]),
        deleted: &'a RowSet,
        shown: usize,
    ) -> Self {
        Self { similarity, dim, base, tail, deleted, shown }
    }

    /// Rows, deleted and staged ones too.
    pub fn len(&self) -> usize {
        (self.base.len() + self.tail.len()) / self.dim
    }

    /// Rows that can be found.
    pub fn live_len(&self) -> usize {
        self.shown - self.deleted.len()
    }

    /// Whether a row is neither deleted nor staged.
    pub fn is_live(&self, ord: u32) -> bool {
        (ord as usize) < self.shown && !self.deleted.contains(ord)
    }

    pub fn row(&self, ord: u32) -> &'a [T] {
        let start = ord as usize * self.dim;
        match start.checked_sub(self.base.len()) {
            Some(start) => &self.tail[start..][..self.dim],
            None => &self.base[start..][..self.dim],
        }
    }

    /// Consecutive rows from `start`: up to `most`, fewer where the file ends.
    pub fn rows(&self, start: usize, most: usize) -> &'a [T] {
        let (part, start) = match (start * self.dim).checked_sub(self.base.len()) {
            Some(start) => (self.tail, start),
            None => (self.base, start * self.dim),
        };
        let end = part.len().min(start + most * self.dim);
        &part[start..end]
    }

    /// The score of a prepared query and a row.
    pub fn score(&self, query: &[f32], ord: u32) -> f32 {
        self.similarity.score(query, self.row(ord))
    }
}
