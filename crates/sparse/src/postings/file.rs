//! The impact file of a segment.
//!
//! Little-endian. Head: magic 8 bytes, version u32, passages u32, terms u64, postings u64, 32 bytes in all. Then
//! the postings of the terms, see [`layout`](super::layout); escapes: term u32, passage u32, frequency u32,
//! by term and passage; for each term of the engine's dictionary, in its order, the number of its passages u32
//! and where its postings begin u64, with the layout in the top two bits and, below them, whether it has escapes. Tail: for each of 239 codes frequency
//! u32 and length code u32, 0 frequency where there are fewer; number of escapes u64. The engine appends a
//! checksum.

use tantivy::directory::OwnedBytes;

use kernels::impacts::PADDING;

use super::dictionary::{Dictionary, Impact, MOST};
use super::layout::Layout;
use super::term_postings::{Bitmap, LongGaps, Postings, ShortGaps};
use super::{RANK_INTERVAL, WINDOW};

pub(super) const MAGIC: [u8; 8] = *b"PKIMPACT";
pub(super) const VERSION: u32 = 2;
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
    let (ranks, rest) = rest.split_at(4 * passages.div_ceil(RANK_INTERVAL));
    Bitmap { words: words.as_chunks().0, ranks: ranks.as_chunks().0, codes: &rest[..count + PADDING] }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tantivy::index::SegmentReader;
    use tantivy::schema::IndexRecordOption;
    use tantivy::{Index, InvertedIndexReader, TantivyDocument};

    use super::*;
    use crate::Analyzer;
    use crate::index::open::analyze_with;
    use crate::index::schema::schema;
    use crate::postings::builder::build;
    use crate::postings::dictionary::{ABSENT, ESCAPE};
    use crate::postings::gap_cursor::LongCursor;
    use crate::postings::plugin::read_length_codes;

    const PASSAGES: u32 = 70_000;

    /// Terms of every layout, and more impacts than have codes.
    fn text(passage: u32) -> String {
        let mut text = "all ".repeat(1 + passage as usize % 97);
        for (every, term) in [(3, "third "), (150, "seldom "), (3_000, "rare "), (69_999, "far ")] {
            if passage.is_multiple_of(every) {
                text.push_str(&term.repeat(1 + passage as usize % 5));
            }
        }
        text
    }

    fn segment() -> (Arc<InvertedIndexReader>, OwnedBytes) {
        let (schema, fields) = schema();
        let index = Index::create_in_ram(schema);
        analyze_with(&index, Analyzer::WHITESPACE);
        let mut writer = index.writer_with_num_threads(1, 100_000_000).expect("an index in memory");
        for passage in 0..PASSAGES {
            let mut document = TantivyDocument::new();
            document.add_text(fields.contents, text(passage));
            writer.add_document(document).expect("a sound document");
        }
        writer.commit().expect("an index in memory");
        let segments = index.searchable_segments().expect("a commit");
        assert_eq!(segments.len(), 1);
        let reader = SegmentReader::open(&segments[0]).expect("a sound segment");
        let terms = reader.inverted_index(fields.contents).expect("a sound segment");
        (terms, read_length_codes(&reader, fields.contents).expect("a sound segment"))
    }

    /// Passages with their codes.
    fn decoded(postings: Postings<'_>) -> Vec<(u32, u8)> {
        match postings {
            Postings::Long(long) => {
                let mut cursor = LongCursor::new(long);
                std::iter::from_fn(|| cursor.next_before(u32::MAX)).collect()
            }
            Postings::Short(short) => {
                let of_window = |window: usize| {
                    let mut passage = (window * WINDOW) as u32;
                    short.window(window).iter().map(move |&[gap, code]| {
                        passage += u32::from(gap);
                        (passage, code)
                    })
                };
                let all = (0..short.windows.len() - 1).flat_map(of_window);
                all.filter(|&(_, code)| code != ABSENT).collect()
            }
            Postings::Bitmap(bitmap) => {
                let is_set = |passage: &u32| {
                    u64::from_le_bytes(bitmap.words[*passage as usize / 64]) >> (passage % 64) & 1 == 1
                };
                let passages: Vec<u32> = (0..PASSAGES).filter(is_set).collect();
                for start in (0..PASSAGES as usize).step_by(RANK_INTERVAL) {
                    let before = passages.partition_point(|&passage| (passage as usize) < start);
                    assert_eq!(bitmap.rank(start), before);
                }
                passages.into_iter().zip(bitmap.codes.iter().copied()).collect()
            }
        }
    }

    #[test]
    fn every_posting_comes_back_whatever_its_layout() {
        let (terms, length_codes) = segment();
        let mut bytes = Vec::new();
        build(&terms, &length_codes, &mut bytes).expect("a vector takes all");
        let count = terms.terms().num_terms() as u64;
        let open =
            |bytes: &[u8], passages, terms| Impacts::open(OwnedBytes::new(bytes.to_vec()), passages, terms);
        let impacts = open(&bytes, PASSAGES as usize, count).expect("a sound file");
        assert!(impacts.dictionary.impacts.len() == MOST);
        let mut stream = terms.terms().stream().expect("sound terms");
        let (mut number, mut layouts, mut escaped) = (0, [0; 3], 0);
        while stream.advance() {
            let mut expected = Vec::new();
            let postings =
                terms.read_block_postings_from_terminfo(stream.value(), IndexRecordOption::WithFreqs);
            let mut postings = postings.expect("sound postings");
            while !postings.docs().is_empty() {
                expected.extend(postings.docs().iter().copied().zip(postings.freqs().iter().copied()));
                postings.advance();
            }
            let term = impacts.term(number);
            assert_eq!(term.passages as usize, expected.len());
            let got: Vec<(u32, u32)> = decoded(term.postings)
                .into_iter()
                .map(|(passage, code)| {
                    if code == ESCAPE {
                        escaped += 1;
                        return (passage, term.escapes.frequency(passage));
                    }
                    let impact = impacts.dictionary.impacts[usize::from(code) - 1];
                    assert_eq!(impact.length_code, length_codes[passage as usize]);
                    (passage, impact.frequency)
                })
                .collect();
            assert!(got == expected, "term {number}");
            match term.postings {
                Postings::Long(_) => layouts[0] += 1,
                Postings::Short(_) => layouts[1] += 1,
                Postings::Bitmap(_) => layouts[2] += 1,
            }
            number += 1;
        }
        assert_eq!((layouts, escaped > 0), ([2, 1, 2], true));

        // Stale, of another segment, or cut off.
        assert!(open(&bytes, PASSAGES as usize - 1, count).is_err());
        assert!(open(&bytes, PASSAGES as usize, count + 1).is_err());
        assert!(open(&bytes[..HEAD + TAIL - 1], PASSAGES as usize, count).is_err());
        bytes[8] += 1;
        let error = open(&bytes, PASSAGES as usize, count).expect_err("another version");
        assert!(error.starts_with("version 3"), "{error}");
    }
}
