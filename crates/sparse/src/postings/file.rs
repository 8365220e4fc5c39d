//! Reads the impact file of a segment: [`ImpactFile::open`] checks the file, and [`ImpactFile::term`] returns the
//! postings of a term as slices of the file.
//!
//! All integers are little-endian:
//!
//! ```text
//! header    magic 8 bytes │ version u32 │ number of passages u32 │ number of terms u64 │ number of postings u64
//! postings  the postings of each term, in the order of the terms; see `layout.rs`
//! overflow  (term ordinal u32, passage u32, frequency u32) …, sorted by term and passage
//! records   for each term: doc_freq u32, start of its postings u64; the top two bits of the start are the layout,
//!           the bit below says whether the term has overflow entries
//! footer    (frequency u32, fieldnorm u32) for each of 239 codes, with frequency 0 for unused ones │
//!           number of overflow entries u64
//! checksum  written by tantivy
//! ```

use kernels::impacts::{PADDING, RANK_INTERVAL};
use tantivy::directory::OwnedBytes;

use super::dictionary::{Dictionary, Impact, MAX_IMPACTS};
use super::layout::{BLOCK, Layout};
use super::term_postings::{
    Bitmap, Gaps8, Gaps16, OVERFLOW_ENTRY_BYTES, OverflowEntries, Postings, TermPostings, u32_at, u64_at,
};

pub(super) const MAGIC: [u8; 8] = *b"PKIMPACT";
pub(super) const VERSION: u32 = 2;
pub(super) const HEADER_BYTES: usize = 32;
pub(super) const FOOTER_BYTES: usize = 8 * MAX_IMPACTS + 8;
const RECORD_BYTES: usize = 12;
/// Position of the lowest bit of the layout in a record's `start`.
pub(super) const LAYOUT_SHIFT: u32 = 62;
/// Position of the bit in a record's `start` that is set if the term has overflow entries.
pub(super) const HAS_OVERFLOW_SHIFT: u32 = 61;

/// An open impact file.
///
/// Opening a file validates its header, footer and lengths, but does not read the postings: reading corrupt postings
/// may panic or give wrong scores. [`Snapshot::read`](crate::index::snapshot::Snapshot::read) turns such panics into
/// errors.
#[derive(Debug, Clone)]
pub(crate) struct ImpactFile {
    bytes: OwnedBytes,
    /// Number of passages, including deleted ones.
    passages: usize,
    pub dictionary: Dictionary,
    /// Number of terms.
    terms: u64,
    overflow_start: usize,
    records_start: usize,
}

impl ImpactFile {
    /// Opens a file and checks that it is for a segment with these numbers of passages and terms. The error says what
    /// was found instead.
    pub fn open(bytes: OwnedBytes, passages: usize, terms: u64) -> Result<Self, String> {
        if bytes.len() < HEADER_BYTES + FOOTER_BYTES || bytes[..8] != MAGIC {
            return Err("a file that does not start like an impact file".to_owned());
        }
        let (version, stored_passages, stored_terms) =
            (u32_at(&bytes, 8), u32_at(&bytes, 12), u64_at(&bytes, 16));
        if version != VERSION || stored_passages as usize != passages || stored_terms != terms {
            return Err(format!("version {version}, {stored_passages} passages and {stored_terms} terms"));
        }
        let footer_start = bytes.len() - FOOTER_BYTES;
        let impact = |index: usize| {
            let at = footer_start + 8 * index;
            let (frequency, fieldnorm) = (u32_at(&bytes, at), u32_at(&bytes, at + 4));
            (frequency > 0).then_some(Impact { frequency, fieldnorm: fieldnorm as u8 })
        };
        let dictionary = Dictionary { impacts: (0..MAX_IMPACTS).map_while(impact).collect() };
        let overflow_count = u64_at(&bytes, bytes.len() - 8) as usize;
        let records_start = usize::try_from(terms).ok().and_then(|terms| terms.checked_mul(RECORD_BYTES));
        let records_start = records_start.and_then(|records| footer_start.checked_sub(records));
        let overflow_start = records_start
            .zip(overflow_count.checked_mul(OVERFLOW_ENTRY_BYTES))
            .and_then(|(records_start, overflow)| records_start.checked_sub(overflow))
            .filter(|&start| start >= HEADER_BYTES);
        let Some((overflow_start, records_start)) = overflow_start.zip(records_start) else {
            let length = bytes.len();
            return Err(format!("{length} bytes for {terms} terms and {overflow_count} overflow entries"));
        };
        Ok(Self { bytes, passages, dictionary, terms, overflow_start, records_start })
    }

    /// Returns the number of passages that have the term with this ordinal, including deleted ones.
    pub fn doc_freq(&self, term_ord: u32) -> u32 {
        assert!(u64::from(term_ord) < self.terms, "term {term_ord} of {}", self.terms);
        u32_at(&self.bytes, self.records_start + term_ord as usize * RECORD_BYTES)
    }

    /// Returns the postings of the term with this ordinal in tantivy's term dictionary.
    pub fn term(&self, term_ord: u32) -> TermPostings<'_> {
        assert!(u64::from(term_ord) < self.terms, "term {term_ord} of {}", self.terms);
        let record = self.records_start + term_ord as usize * RECORD_BYTES;
        let (doc_freq, flags_and_start) = (u32_at(&self.bytes, record), u64_at(&self.bytes, record + 4));
        let start = (flags_and_start & ((1 << HAS_OVERFLOW_SHIFT) - 1)) as usize;
        // SIMD loads may read past a bitmap's codes, into the next part of the file, but not past the end of the file:
        // the footer is longer than `PADDING`.
        let (data, count) = (&self.bytes[start..], doc_freq as usize);
        let postings = match Layout::ALL[(flags_and_start >> LAYOUT_SHIFT) as usize] {
            Layout::Gaps16 => Postings::Gaps16(gaps16(data, count)),
            Layout::BridgedGaps16 => Postings::Gaps16(gaps16(&data[4..], u32_at(data, 0) as usize)),
            Layout::Gaps8 => Postings::Gaps8(gaps8(data, self.passages)),
            Layout::Bitmap => Postings::Bitmap(bitmap(data, self.passages, count)),
        };
        let has_overflow = flags_and_start >> HAS_OVERFLOW_SHIFT & 1 == 1;
        let overflow = if has_overflow { self.overflow_of(term_ord) } else { &[] };
        TermPostings { doc_freq, postings, overflow: OverflowEntries(overflow) }
    }

    /// Returns the overflow entries of a term.
    fn overflow_of(&self, term_ord: u32) -> &[[u8; OVERFLOW_ENTRY_BYTES]] {
        let entries = &self.bytes[self.overflow_start..self.records_start];
        let (entries, _) = entries.as_chunks::<OVERFLOW_ENTRY_BYTES>();
        let start = entries.partition_point(|entry| u32_at(entry, 0) < term_ord);
        let end = entries.partition_point(|entry| u32_at(entry, 0) <= term_ord);
        &entries[start..end]
    }
}

fn gaps16(data: &[u8], entries: usize) -> Gaps16<'_> {
    let (gaps, rest) = data.split_at(2 * entries);
    Gaps16 { gaps: gaps.as_chunks().0, codes: &rest[..entries] }
}

fn gaps8(data: &[u8], passages: usize) -> Gaps8<'_> {
    let (block_starts, rest) = data.split_at(4 * (passages.div_ceil(BLOCK) + 1));
    let (block_starts, _) = block_starts.as_chunks::<4>();
    let entries = u32::from_le_bytes(block_starts[block_starts.len() - 1]) as usize;
    Gaps8 { block_starts, entries: rest[..2 * entries].as_chunks().0 }
}

fn bitmap(data: &[u8], passages: usize, count: usize) -> Bitmap<'_> {
    let (words, rest) = data.split_at(8 * passages.div_ceil(64));
    let (ranks, rest) = rest.split_at(4 * passages.div_ceil(RANK_INTERVAL));
    Bitmap { words: words.as_chunks().0, ranks: ranks.as_chunks().0, codes: &rest[..count + PADDING] }
}

#[cfg(test)]
mod tests;
