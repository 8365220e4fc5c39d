//! Iterates over the postings of [`Gaps16`]. The scorers call [`Gaps16Cursor::for_each_before`] with the end of each
//! block of passages in turn, so the cursor keeps its place between blocks.

use super::dictionary::ABSENT;
use super::term_postings::Gaps16;

/// A position in the postings of a rare term.
pub(crate) struct Gaps16Cursor<'a> {
    /// The gaps of the entries that have not been read yet.
    gaps: &'a [[u8; 2]],
    /// The codes of the same entries.
    codes: &'a [u8],
    /// The passage of the previous entry.
    passage: u32,
}

impl<'a> Gaps16Cursor<'a> {
    pub fn new(postings: Gaps16<'a>) -> Self {
        Self { gaps: postings.gaps, codes: postings.codes, passage: 0 }
    }

    /// Calls `visit` with each passage below `end` that is left, and with its impact code.
    #[inline]
    pub fn for_each_before(&mut self, end: u32, mut visit: impl FnMut(u32, u8)) {
        let (mut passage, mut read) = (self.passage, 0);
        for (&gap, &code) in self.gaps.iter().zip(self.codes) {
            let next = passage.wrapping_add(u32::from(u16::from_le_bytes(gap)));
            if next >= end {
                break;
            }
            (passage, read) = (next, read + 1);
            if code != ABSENT {
                visit(passage, code);
            }
        }
        *self = Self { gaps: &self.gaps[read..], codes: &self.codes[read..], passage };
    }
}
