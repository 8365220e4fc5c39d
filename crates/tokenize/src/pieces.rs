//! The word pieces of a text.

use std::ops::Range;

/// The word pieces of a text, without special tokens. The three vectors have one entry per piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Vocabulary ids.
    pub ids: Vec<u32>,
    /// Byte range of each piece in the text, half-open, on character boundaries. It includes the combining marks of the
    /// last letter.
    pub offsets: Vec<Range<u32>>,
    /// Number of the word that each piece belongs to, from 0 and in order.
    pub words: Vec<u32>,
}

impl Pieces {
    /// Number of pieces.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no piece.
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
