//! The postings of one term, as slices of the impact file; [`ImpactFile::term`](super::ImpactFile::term) returns them.

use kernels::impacts::RANK_INTERVAL;

use super::dictionary::{ABSENT, Dictionary, OVERFLOW};
use super::layout::BLOCK;

/// What the impact file stores for one term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermPostings<'a> {
    /// Number of passages with the term, including deleted ones.
    pub doc_freq: u32,
    pub postings: Postings<'a>,
    pub overflow: OverflowEntries<'a>,
}

/// Passages with their impact codes, in one of three layouts; see [`layout`](super::layout).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Postings<'a> {
    /// The layout of rare terms.
    Gaps16(Gaps16<'a>),
    /// The layout of terms that are neither rare nor frequent.
    Gaps8(Gaps8<'a>),
    /// The layout of frequent terms.
    Bitmap(Bitmap<'a>),
}

/// Each entry is a gap and a code. The gap is the distance to the previous entry's passage; the first gap counts from
/// passage 0. Entries with the code [`ABSENT`](super::ABSENT) are not postings: they bridge gaps that do not fit in 16
/// bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gaps16<'a> {
    pub gaps: &'a [[u8; 2]],
    pub codes: &'a [u8],
}

/// Entries of an 8-bit gap and a code, like those of [`Gaps16`], except that the first gap of each block counts from
/// the block's first passage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gaps8<'a> {
    /// The index of each block's first entry, followed by the number of all entries; u32 each.
    pub block_starts: &'a [[u8; 4]],
    pub entries: &'a [[u8; 2]],
}

/// One bit per passage and one code per set bit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bitmap<'a> {
    pub words: &'a [[u8; 8]],
    /// For every [`RANK_INTERVAL`]-th passage, from passage 0: the number of bits set before it; u32 each.
    pub ranks: &'a [[u8; 4]],
    /// The codes, followed by [`kernels::impacts::PADDING`] arbitrary bytes, because SIMD loads read past the last
    /// code.
    pub codes: &'a [u8],
}

/// Number of bytes of an overflow entry: term ordinal, passage and frequency, u32 each.
pub(super) const OVERFLOW_ENTRY_BYTES: usize = 12;

/// The frequencies of those postings of a term whose impacts are not in the dictionary, in the order of their passages.
/// In the [`Postings`], these postings have the code [`OVERFLOW`](super::OVERFLOW).
#[derive(Debug, Clone, Copy)]
pub(crate) struct OverflowEntries<'a>(pub(super) &'a [[u8; OVERFLOW_ENTRY_BYTES]]);

impl TermPostings<'_> {
    /// Returns the term's frequency in a passage; 0 if the passage does not have the term.
    pub fn frequency(&self, dictionary: &Dictionary, passage: u32) -> u32 {
        match self.code(passage) {
            ABSENT => 0,
            OVERFLOW => self.overflow.frequency(passage),
            code => dictionary.impacts[usize::from(code) - 1].frequency,
        }
    }

    /// Returns the code of a passage's posting; [`ABSENT`] if the passage does not have the term.
    fn code(&self, passage: u32) -> u8 {
        match self.postings {
            Postings::Gaps16(Gaps16 { gaps, codes }) => {
                let gaps = gaps.iter().map(|&gap| u32::from(u16::from_le_bytes(gap)));
                code_at(passage, gaps.zip(codes.iter().copied()))
            }
            Postings::Gaps8(gaps) => {
                let block = passage as usize / BLOCK;
                let entries = gaps.block(block).iter().map(|&[gap, code]| (u32::from(gap), code));
                code_at(passage - (block * BLOCK) as u32, entries)
            }
            Postings::Bitmap(bitmap) => {
                let word = |at: usize| u64::from_le_bytes(bitmap.words[at]);
                let (at, bit) = (passage as usize / 64, passage % 64);
                if word(at) >> bit & 1 == 0 {
                    return ABSENT;
                }
                let interval = passage as usize / RANK_INTERVAL * RANK_INTERVAL;
                let before: u32 = (interval / 64..at).map(|at| word(at).count_ones()).sum();
                let in_word = (word(at) & ((1 << bit) - 1)).count_ones();
                bitmap.codes[bitmap.rank(interval) + (before + in_word) as usize]
            }
        }
    }
}

/// Returns the code of the posting at a distance from the start of the entries; [`ABSENT`] if there is none. Each entry
/// is a gap and a code.
fn code_at(distance: u32, entries: impl Iterator<Item = (u32, u8)>) -> u8 {
    let mut at = 0;
    for (gap, code) in entries {
        at += gap;
        if at >= distance {
            return if at == distance { code } else { ABSENT };
        }
    }
    ABSENT
}

impl<'a> Gaps8<'a> {
    /// Returns the entries of a block.
    #[inline]
    pub fn block(&self, block: usize) -> &'a [[u8; 2]] {
        let start = |block: usize| u32::from_le_bytes(self.block_starts[block]) as usize;
        &self.entries[start(block)..start(block + 1)]
    }
}

impl Bitmap<'_> {
    /// Returns the number of bits set before a passage whose number is a multiple of [`RANK_INTERVAL`].
    #[inline]
    pub fn rank(&self, passage: usize) -> usize {
        u32::from_le_bytes(self.ranks[passage / RANK_INTERVAL]) as usize
    }
}

impl<'a> OverflowEntries<'a> {
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns the term's frequency in a passage whose code is [`OVERFLOW`](super::OVERFLOW).
    pub fn frequency(self, passage: u32) -> u32 {
        let at = self.0.binary_search_by_key(&passage, |entry| u32_at(entry, 4));
        u32_at(&self.0[at.expect("every posting with the overflow code has an entry")], 8)
    }

    /// Returns the entries of the passages from `start` to `end` (exclusive): each passage with the term's frequency.
    pub fn within(self, start: u32, end: u32) -> impl Iterator<Item = (u32, u32)> + 'a {
        let first = self.0.partition_point(|entry| u32_at(entry, 4) < start);
        let entries = self.0[first..].iter().map(|entry| (u32_at(entry, 4), u32_at(entry, 8)));
        entries.take_while(move |&(passage, _)| passage < end)
    }
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
