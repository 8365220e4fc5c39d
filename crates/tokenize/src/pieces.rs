use std::ops::Range;

/// A text as word pieces, without special tokens. The three vectors are of one length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Vocabulary ids.
    pub ids: Vec<u32>,
    /// Where each piece stands in the text: bytes, half-open, on character boundaries, the combining marks of its last
    /// letter included.
    pub offsets: Vec<Range<u32>>,
    /// The number of the word each piece belongs to, from 0; pieces of one word are neighbours.
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

    pub(crate) fn reserve(&mut self, more: usize) {
        self.ids.reserve(more);
        self.offsets.reserve(more);
        self.words.reserve(more);
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
