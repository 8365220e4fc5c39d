//! The word pieces of a text.

use std::ops::Range;

/// The word pieces of a text, without special tokens. Each of the three vectors has one entry per piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Vocabulary ids.
    pub ids: Vec<u32>,
    /// Byte range of each piece in the text, half-open, on character boundaries. The range includes the combining marks
    /// that follow the last letter of the piece.
    pub offsets: Vec<Range<u32>>,
    /// The number of the word to which each piece belongs. Words are numbered from 0, in the order of the text.
    pub words: Vec<u32>,
}

impl Pieces {
    /// Returns the number of pieces.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns true if there are no pieces.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        self.ids.reserve(additional);
        self.offsets.reserve(additional);
        self.words.reserve(additional);
    }

    #[inline]
    pub(crate) fn push(&mut self, id: u32, offset: Range<u32>, word: u32) {
        self.ids.push(id);
        self.offsets.push(offset);
        self.words.push(word);
    }

    /// Keeps the first `length` pieces.
    pub fn truncate(&mut self, length: usize) {
        self.ids.truncate(length);
        self.offsets.truncate(length);
        self.words.truncate(length);
    }
}
