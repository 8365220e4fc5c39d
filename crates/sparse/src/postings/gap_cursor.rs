use crate::postings::{ABSENT, LongGaps};

/// Reads long gaps up to somewhere.
pub(crate) struct LongCursor<'a> {
    gaps: &'a [[u8; 2]],
    codes: &'a [u8],
    passage: u32,
}

impl<'a> LongCursor<'a> {
    pub fn new(list: LongGaps<'a>) -> Self {
        Self { gaps: list.gaps, codes: list.codes, passage: 0 }
    }

    /// The next passage before `end` with its code, if there is one.
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
