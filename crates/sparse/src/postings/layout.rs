//! The three layouts of a term's postings in the impact file, and which of them a term gets.
//!
//! ```text
//! Gaps16   [number of entries u32] │ gap u16 … │ code u8 …                                          rare terms
//! Gaps8    index of each block's first entry u32 …, number of entries u32 │ (gap u8, code u8) …     other terms
//! Bitmap   word u64 … │ rank u32 … │ code u8 …                                                      frequent terms
//! ```
//!
//! An entry is a gap and a code. A *gap* is the distance to the previous entry's passage. If a gap does not fit in its
//! integer, entries with the code [`ABSENT`] bridge it. Only then are there more entries than postings, and only then
//! does `Gaps16` store the number of entries. In `Gaps8`, the first gap of each [block](BLOCK) of passages is the
//! distance to the first passage of the block. A bitmap has one bit per passage of the segment, and for every
//! [`RANK_INTERVAL`]th passage a *rank*: the number of bits that are set before the bit of this passage.

use kernels::impacts::RANK_INTERVAL;

use super::dictionary::ABSENT;

/// Number of passages per block. The scorers process one block at a time: the 16-bit upper bounds of a block (16 KiB)
/// fit in the L1 cache, and its 64-bit sums of exact scores (64 KiB) fit in the L2 cache.
pub(crate) const BLOCK: usize = 8192;

/// The layout of a term's postings, as it is stored in the term's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Layout {
    Gaps16 = 0,
    /// [`Gaps16`](Self::Gaps16) with entries that bridge gaps, preceded by the number of entries.
    BridgedGaps16 = 1,
    Gaps8 = 2,
    Bitmap = 3,
}

/// A bitmap is chosen if at least one passage in 12 has the term. At this limit, it takes 20 bits per posting (12 for
/// the bitmap, 8 for the code), while 8-bit gaps take 16 bits (including the code), but the scorers read a bitmap 64
/// passages at a time.
const MAX_PASSAGES_PER_BITMAP_POSTING: usize = 12;
/// With fewer postings than this, reading a bitmap's words costs more than reading the postings.
const MIN_BITMAP_POSTINGS: usize = 32;
/// 8-bit gaps are chosen if at least one passage in 200 has the term. For rarer terms, many gaps need bridging entries,
/// and 16-bit gaps take fewer bytes.
const MAX_PASSAGES_PER_GAPS8_POSTING: usize = 200;

impl Layout {
    pub const ALL: [Self; 4] = [Self::Gaps16, Self::BridgedGaps16, Self::Gaps8, Self::Bitmap];

    /// Chooses the layout of a term that `doc_freq` of `passages` passages have.
    fn choose(doc_freq: usize, passages: usize) -> Self {
        let blocks = passages.div_ceil(BLOCK);
        if doc_freq >= MIN_BITMAP_POSTINGS && doc_freq * MAX_PASSAGES_PER_BITMAP_POSTING >= passages {
            Self::Bitmap
        } else if doc_freq > 4 * blocks + 4 && doc_freq * MAX_PASSAGES_PER_GAPS8_POSTING >= passages {
            // Compared with `Gaps16`, `Gaps8` saves a byte per posting, but stores four bytes per block for the start
            // of its entries, and four bytes for the number of all entries.
            Self::Gaps8
        } else {
            Self::Gaps16
        }
    }
}

/// Appends postings to `to`, and returns the layout that was chosen. `doc_ids` has passages in ascending order, `codes`
/// the code of each; `passages` is the number of passages of the segment.
pub(super) fn encode(doc_ids: &[u32], codes: &[u8], passages: usize, to: &mut Vec<u8>) -> Layout {
    let layout = Layout::choose(doc_ids.len(), passages);
    match layout {
        Layout::Gaps8 => encode_gaps8(doc_ids, codes, passages, to),
        Layout::Bitmap => encode_bitmap(doc_ids, codes, passages, to),
        Layout::Gaps16 | Layout::BridgedGaps16 => return encode_gaps16(doc_ids, codes, to),
    }
    layout
}

fn encode_gaps16(doc_ids: &[u32], codes: &[u8], to: &mut Vec<u8>) -> Layout {
    let (start, mut entry_codes, mut last) = (to.len(), Vec::with_capacity(codes.len()), 0);
    for (&doc, &code) in doc_ids.iter().zip(codes) {
        while doc - last > u32::from(u16::MAX) {
            to.extend(u16::MAX.to_le_bytes());
            entry_codes.push(ABSENT);
            last += u32::from(u16::MAX);
        }
        to.extend(((doc - last) as u16).to_le_bytes());
        entry_codes.push(code);
        last = doc;
    }
    let is_bridged = entry_codes.len() > codes.len();
    if is_bridged {
        to.splice(start..start, (entry_codes.len() as u32).to_le_bytes());
    }
    to.append(&mut entry_codes);
    if is_bridged { Layout::BridgedGaps16 } else { Layout::Gaps16 }
}

fn encode_gaps8(doc_ids: &[u32], codes: &[u8], passages: usize, to: &mut Vec<u8>) {
    let index_start = to.len();
    let blocks = passages.div_ceil(BLOCK);
    to.resize(index_start + 4 * (blocks + 1), 0);
    let entries_start = to.len();
    let entry_count = |to: &Vec<u8>| (((to.len() - entries_start) / 2) as u32).to_le_bytes();
    let mut at = 0;
    for block in 0..blocks {
        let count = entry_count(to);
        to[index_start + 4 * block..][..4].copy_from_slice(&count);
        let (mut last, end) = ((block * BLOCK) as u32, ((block + 1) * BLOCK) as u32);
        while at < doc_ids.len() && doc_ids[at] < end {
            while doc_ids[at] - last > u32::from(u8::MAX) {
                to.extend([u8::MAX, ABSENT]);
                last += u32::from(u8::MAX);
            }
            to.extend([(doc_ids[at] - last) as u8, codes[at]]);
            last = doc_ids[at];
            at += 1;
        }
    }
    let count = entry_count(to);
    to[entries_start - 4..entries_start].copy_from_slice(&count);
}

fn encode_bitmap(doc_ids: &[u32], codes: &[u8], passages: usize, to: &mut Vec<u8>) {
    let mut words = vec![0u64; passages.div_ceil(64)];
    for &doc in doc_ids {
        words[doc as usize / 64] |= 1 << (doc % 64);
    }
    words.iter().for_each(|word| to.extend(word.to_le_bytes()));
    let mut rank = 0;
    for words in words.chunks(RANK_INTERVAL / 64) {
        to.extend(u32::to_le_bytes(rank));
        rank += words.iter().map(|word| word.count_ones()).sum::<u32>();
    }
    to.extend(codes);
}
