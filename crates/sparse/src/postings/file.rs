//! Reads the impact file of a segment: [`ImpactFile::open`] checks the file, [`ImpactFile::term_ord`] looks a term up,
//! and [`ImpactFile::term`] returns its postings as slices of the file.
//!
//! All integers are little-endian:
//!
//! ```text
//! header      magic 8 bytes │ version u32 │ number of passages u32
//! postings    the postings of each term, in the order of the terms; see `layout.rs`
//! overflow    (term ordinal u32, passage u32, frequency u32) …, sorted by term and passage
//! records     for each term: doc_freq u32, start of its postings u64; the top two bits of the start are the layout,
//!             the bit below says whether the term has overflow entries
//! fieldnorms  one byte for each passage
//! terms       a finite-state transducer (FST) that maps each term to its ordinal
//! footer      (frequency u32, fieldnorm u32) for each of 239 codes, with frequency 0 for unused ones │
//!             number of overflow entries u64 │ number of terms u64 │ bytes of the FST u64 │ number of tokens u64 │
//!             number of passages with tokens u64
//! checksum    written by tantivy
//! ```

use std::ops::Range;

use kernels::impacts::{PADDING, RANK_INTERVAL};
use tantivy::directory::OwnedBytes;
use tantivy_fst::Map;
use tantivy_fst::raw::Fst;

use super::dictionary::{Dictionary, Impact, MAX_IMPACTS};
use super::layout::{BLOCK, Layout};
use super::term_postings::{
    Bitmap, Gaps8, Gaps16, OVERFLOW_ENTRY_BYTES, OverflowEntries, Postings, TermPostings, u32_at, u64_at,
};

pub(super) const MAGIC: [u8; 8] = *b"PKIMPACT";
pub(super) const VERSION: u32 = 3;
pub(super) const HEADER_BYTES: usize = 16;
pub(super) const FOOTER_BYTES: usize = 8 * MAX_IMPACTS + 40;
pub(super) const RECORD_BYTES: usize = 12;
/// Position of the lowest bit of the layout in a record's `start`.
pub(super) const LAYOUT_SHIFT: u32 = 62;
/// Position of the bit in a record's `start` that is set if the term has overflow entries.
pub(super) const HAS_OVERFLOW_SHIFT: u32 = 61;

/// An open impact file.
///
/// Opening a file validates its header, footer and lengths, but does not read the postings: reading corrupt postings
/// may panic or give wrong scores. [`Snapshot::read`](crate::index::snapshot::Snapshot::read) turns such panics into
/// errors.
pub(crate) struct ImpactFile {
    bytes: OwnedBytes,
    /// Number of passages, including deleted ones.
    pub passages: usize,
    pub dictionary: Dictionary,
    /// Maps terms to their ordinals.
    pub terms: Map<OwnedBytes>,
    /// Number of terms.
    term_count: u32,
    fieldnorms: OwnedBytes,
    /// Number of tokens of all passages, including deleted ones.
    pub tokens: u64,
    /// Number of passages with at least one token, including deleted ones.
    pub with_tokens: u64,
    overflow: Range<usize>,
    /// Where the records of the terms start. The overflow entries end here.
    records_start: usize,
}

impl ImpactFile {
    /// Opens the file of a segment with this number of passages. The error says what was found instead.
    pub fn open(bytes: OwnedBytes, passages: usize) -> Result<Self, String> {
        if bytes.len() < HEADER_BYTES + FOOTER_BYTES || bytes[..8] != MAGIC {
            return Err("a file that does not start like an impact file".to_owned());
        }
        let (version, stored_passages) = (u32_at(&bytes, 8), u32_at(&bytes, 12));
        if version != VERSION || stored_passages as usize != passages {
            return Err(format!("an impact file of version {version} with {stored_passages} passages"));
        }
        let footer_start = bytes.len() - FOOTER_BYTES;
        let impact = |index: usize| {
            let at = footer_start + 8 * index;
            let (frequency, fieldnorm) = (u32_at(&bytes, at), u32_at(&bytes, at + 4));
            (frequency > 0).then_some(Impact { frequency, fieldnorm: fieldnorm as u8 })
        };
        let dictionary = Dictionary { impacts: (0..MAX_IMPACTS).map_while(impact).collect() };
        let [overflow_count, term_count, fst_bytes, tokens, with_tokens] =
            std::array::from_fn(|index| u64_at(&bytes, footer_start + 8 * (MAX_IMPACTS + index)));
        // The parts of the file, from its end to its start.
        let before = |end: usize, count: u64, size: usize| {
            usize::try_from(count).ok().and_then(|count| end.checked_sub(count.checked_mul(size)?))
        };
        let parts = || {
            let fst_start = before(footer_start, fst_bytes, 1)?;
            let fieldnorms_start = before(fst_start, passages as u64, 1)?;
            let records_start = before(fieldnorms_start, term_count, RECORD_BYTES)?;
            let overflow_start = before(records_start, overflow_count, OVERFLOW_ENTRY_BYTES)?;
            (overflow_start >= HEADER_BYTES).then_some([
                overflow_start,
                records_start,
                fieldnorms_start,
                fst_start,
            ])
        };
        let Some([overflow_start, records_start, fieldnorms_start, fst_start]) = parts() else {
            let length = bytes.len();
            return Err(format!(
                "{length} bytes for {term_count} terms and {overflow_count} overflow entries"
            ));
        };
        let terms =
            Map::from(Fst::new(bytes.slice(fst_start..footer_start)).map_err(|error| error.to_string())?);
        if with_tokens > passages as u64 || tokens < with_tokens {
            return Err(format!("{tokens} tokens in {with_tokens} of {passages} passages"));
        }
        if terms.len() as u64 != term_count {
            return Err(format!("{} terms with postings of {term_count}", terms.len()));
        }
        Ok(Self {
            passages,
            dictionary,
            terms,
            term_count: u32::try_from(term_count).map_err(|_| format!("{term_count} terms"))?,
            fieldnorms: bytes.slice(fieldnorms_start..fst_start),
            tokens,
            with_tokens,
            overflow: overflow_start..records_start,
            records_start,
            bytes,
        })
    }

    /// Returns the number of terms.
    pub fn term_count(&self) -> u32 {
        self.term_count
    }

    /// Returns the ordinal of a term; `None` if the segment does not have the term. The error says that the ordinal is
    /// too large.
    pub fn term_ord(&self, term: &str) -> Result<Option<u32>, String> {
        let Some(term_ord) = self.terms.get(term) else { return Ok(None) };
        let in_range = u32::try_from(term_ord).ok().filter(|&term_ord| term_ord < self.term_count);
        in_range.map(Some).ok_or_else(|| format!("term {term_ord} of {}", self.term_count))
    }

    /// Returns the fieldnorm of each passage: Lucene's `SmallFloat.intToByte4` of its number of tokens.
    #[inline]
    pub fn fieldnorms(&self) -> &[u8] {
        &self.fieldnorms
    }

    /// Returns the number of passages that have the term with this ordinal, including deleted ones.
    pub fn doc_freq(&self, term_ord: u32) -> u32 {
        u32_at(self.record(term_ord), 0)
    }

    /// Returns the record of a term.
    #[inline]
    fn record(&self, term_ord: u32) -> &[u8] {
        assert!(term_ord < self.term_count, "term {term_ord} of {}", self.term_count);
        &self.bytes[self.records_start + term_ord as usize * RECORD_BYTES..][..RECORD_BYTES]
    }

    /// Returns the postings of the term with this ordinal.
    pub fn term(&self, term_ord: u32) -> TermPostings<'_> {
        let record = self.record(term_ord);
        let (doc_freq, flags_and_start) = (u32_at(record, 0), u64_at(record, 4));
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
        let entries = &self.bytes[self.overflow.clone()];
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
