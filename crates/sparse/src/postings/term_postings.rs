//! A term's postings, as they stand in the file.

use super::RANK_INTERVAL;

/// A term's postings. All fields are slices of the file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Postings<'a> {
    /// Of a rare term.
    Long(LongGaps<'a>),
    Short(ShortGaps<'a>),
    /// Of a term that stands in many passages.
    Bitmap(Bitmap<'a>),
}

/// Each entry is so many passages further than the one before, from passage 0 on, and has a code; entries with the
/// code [`ABSENT`] only lead on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LongGaps<'a> {
    pub gaps: &'a [[u8; 2]],
    pub codes: &'a [u8],
}

/// Entries of a gap and a code, as those of [`LongGaps`], but each window begins anew with its first passage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShortGaps<'a> {
    /// For each window its first entry, and at the end the number of all.
    pub windows: &'a [[u8; 4]],
    pub entries: &'a [[u8; 2]],
}

/// A bit for each passage, and a code for each bit set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bitmap<'a> {
    pub words: &'a [[u8; 8]],
    /// Before every [`RANK_INTERVAL`]th passage, the bits set so far.
    pub ranks: &'a [[u8; 4]],
    /// With [`kernels::impacts::PADDING`] bytes of something else behind them.
    pub codes: &'a [u8],
}

impl<'a> ShortGaps<'a> {
    /// The entries of a window.
    #[inline]
    pub fn window(&self, window: usize) -> &'a [[u8; 2]] {
        let at = |window: usize| u32::from_le_bytes(self.windows[window]) as usize;
        &self.entries[at(window)..at(window + 1)]
    }
}

impl Bitmap<'_> {
    /// Bits set before a passage whose number is a multiple of [`RANK_INTERVAL`].
    #[inline]
    pub fn rank(&self, passage: usize) -> usize {
        u32::from_le_bytes(self.ranks[passage / RANK_INTERVAL]) as usize
    }
}
