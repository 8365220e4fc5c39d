//! Iterates over the postings of [`Gaps16`]. The scorers call [`Gaps16Cursor::next_before`] with the end of each block
//! of passages in turn, so the cursor keeps its place between blocks.

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

    /// Returns the next passage below `end` and its impact code; `None` if no passage below `end` is left.
    #[inline]
    pub fn next_before(&mut self, end: u32) -> Option<(u32, u8)> {
        while let (Some((&gap, gaps)), Some((&code, codes))) =
            (self.gaps.split_first(), self.codes.split_first())
        {
            let passage = self.passage.wrapping_add(u32::from(u16::from_le_bytes(gap)));
            if passage >= end {
                return None;
            }
            (self.gaps, self.codes, self.passage) = (gaps, codes, passage);
            if code != ABSENT {
                return Some((passage, code));
            }
        }
        None
    }
}
