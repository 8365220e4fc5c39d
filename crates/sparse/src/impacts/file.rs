//! The impact file of a segment.
//!
//! Little-endian. Head: magic 8 bytes, version u32, passages u32, terms u64, postings u64, 32 bytes in all. Then
//! the postings of the terms, see [`encode`](super::encode); escapes: term u32, passage u32, frequency u32,
//! by term and passage; for each term of the engine's dictionary, in its order, the number of its passages u32
//! and where its postings begin u64, with the layout in the top two bits and, below them, whether it has escapes. Tail: for each of 251 codes frequency
//! u32 and length code u32, 0 frequency where there are fewer; number of escapes u64. The engine appends a
//! checksum.

use tantivy::directory::OwnedBytes;

use kernels::impacts::PADDING;

use super::dictionary::{Dictionary, Impact, MOST};
use super::encode::Layout;
use super::postings::{Bitmap, LongGaps, Postings, ShortGaps};
use super::{RANK_EVERY, WINDOW};

pub(super) const MAGIC: [u8; 8] = *b"PKIMPACT";
pub(super) const VERSION: u32 = 1;
pub(super) const HEAD: usize = 32;
pub(super) const TAIL: usize = 8 * MOST + 8;
pub(super) const ESCAPE_BYTES: usize = 12;
pub(super) const RECORD_BYTES: usize = 12;
pub(super) const LAYOUT_SHIFT: u32 = 62;
pub(super) const ESCAPED_SHIFT: u32 = 61;

/// An open impact file. Reading of damaged postings panics.
#[derive(Debug, Clone)]
pub(crate) struct Impacts {
    bytes: OwnedBytes,
    passages: usize,
    pub dictionary: Dictionary,
    terms: u64,
    escapes_at: usize,
    records_at: usize,
}

/// What the file has of a term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermImpacts<'a> {
    /// Passages with the term, deleted ones too.
    pub passages: u32,
    pub postings: Postings<'a>,
    pub escapes: Escapes<'a>,
}

/// Impacts that have no code, by passage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Escapes<'a>(&'a [[u8; ESCAPE_BYTES]]);

impl Impacts {
    /// Checks head, tail and lengths; `Err` says what is wrong.
    pub fn open(bytes: OwnedBytes, passages: usize, terms: u64) -> Result<Self, String> {
        if bytes.len() < HEAD + TAIL || bytes[..8] != MAGIC {
            return Err("a file that does not begin like an impact file".to_owned());
        }
        let (version, counted, of_terms) = (u32_at(&bytes, 8), u32_at(&bytes, 12), u64_at(&bytes, 16));
        if (version, counted as usize, of_terms) != (VERSION, passages, terms) {
            return Err(format!("version {version}, {counted} passages and {of_terms} terms"));
        }
        let tail_at = bytes.len() - TAIL;
        let impact = |code: usize| {
            let at = tail_at + 8 * code;
            let (frequency, length_code) = (u32_at(&bytes, at), u32_at(&bytes, at + 4));
            (frequency > 0).then_some(Impact { frequency, length_code: length_code as u8 })
        };
        let dictionary = Dictionary { impacts: (0..MOST).map_while(impact).collect() };
        let escapes = u64_at(&bytes, bytes.len() - 8) as usize;
        let records_at = usize::try_from(terms).ok().and_then(|terms| terms.checked_mul(RECORD_BYTES));
        let records_at = records_at.and_then(|records| tail_at.checked_sub(records));
        let escapes_at = records_at
            .zip(escapes.checked_mul(ESCAPE_BYTES))
            .and_then(|(records_at, escapes)| records_at.checked_sub(escapes))
            .filter(|&at| at >= HEAD);
        let Some((escapes_at, records_at)) = escapes_at.zip(records_at) else {
            return Err(format!("{} bytes for {terms} terms and {escapes} escapes", bytes.len()));
        };
        Ok(Self { bytes, passages, dictionary, terms, escapes_at, records_at })
    }

    /// Passages with the term of this number, deleted ones too.
    pub fn passages_with(&self, number: u32) -> u32 {
        assert!(u64::from(number) < self.terms, "term {number} of {}", self.terms);
        u32_at(&self.bytes, self.records_at + number as usize * RECORD_BYTES)
    }

    /// The term of this number in the engine's dictionary.
    pub fn term(&self, number: u32) -> TermImpacts<'_> {
        assert!(u64::from(number) < self.terms, "term {number} of {}", self.terms);
        let record = self.records_at + number as usize * RECORD_BYTES;
        let (passages, place) = (u32_at(&self.bytes, record), u64_at(&self.bytes, record + 4));
        let at = (place & ((1 << ESCAPED_SHIFT) - 1)) as usize;
        // What stands behind the postings is longer than a bitmap's padding.
        let (data, count) = (&self.bytes[at..], passages as usize);
        let postings = match Layout::ALL[(place >> LAYOUT_SHIFT) as usize] {
            Layout::Long => Postings::Long(long(data, count)),
            Layout::LedLong => Postings::Long(long(&data[4..], u32_at(data, 0) as usize)),
            Layout::Short => Postings::Short(short(data, self.passages)),
            Layout::Bitmap => Postings::Bitmap(bitmap(data, self.passages, count)),
        };
        let escapes = if place >> ESCAPED_SHIFT & 1 == 1 { self.escapes_of(number) } else { &[] };
        TermImpacts { passages, postings, escapes: Escapes(escapes) }
    }

    fn escapes_of(&self, number: u32) -> &[[u8; ESCAPE_BYTES]] {
        let (escapes, _) = self.bytes[self.escapes_at..self.records_at].as_chunks::<ESCAPE_BYTES>();
        let start = escapes.partition_point(|escape| u32_at(escape, 0) < number);
        let end = escapes.partition_point(|escape| u32_at(escape, 0) <= number);
        &escapes[start..end]
    }
}

impl<'a> Escapes<'a> {
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Frequency of the term in a passage whose code is the escape.
    pub fn frequency(self, passage: u32) -> u32 {
        let at = self.0.binary_search_by_key(&passage, |escape| u32_at(escape, 4));
        u32_at(&self.0[at.expect("an escape for every posting that has its code")], 8)
    }

    /// Those of passages from `start` up to `end`, with their frequencies.
    pub fn within(self, start: u32, end: u32) -> impl Iterator<Item = (u32, u32)> + 'a {
        let first = self.0.partition_point(|escape| u32_at(escape, 4) < start);
        let passages = self.0[first..].iter().map(|escape| (u32_at(escape, 4), u32_at(escape, 8)));
        passages.take_while(move |&(passage, _)| passage < end)
    }
}

fn long(data: &[u8], entries: usize) -> LongGaps<'_> {
    let (gaps, rest) = data.split_at(2 * entries);
    LongGaps { gaps: gaps.as_chunks().0, codes: &rest[..entries] }
}

fn short(data: &[u8], passages: usize) -> ShortGaps<'_> {
    let (windows, rest) = data.split_at(4 * (passages.div_ceil(WINDOW) + 1));
    let (windows, _) = windows.as_chunks::<4>();
    let entries = u32::from_le_bytes(windows[windows.len() - 1]) as usize;
    ShortGaps { windows, entries: rest[..2 * entries].as_chunks().0 }
}

fn bitmap(data: &[u8], passages: usize, count: usize) -> Bitmap<'_> {
    let (words, rest) = data.split_at(8 * passages.div_ceil(64));
    let (ranks, rest) = rest.split_at(4 * passages.div_ceil(RANK_EVERY));
    Bitmap { words: words.as_chunks().0, ranks: ranks.as_chunks().0, codes: &rest[..count + PADDING] }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
