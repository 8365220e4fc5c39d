//! Collects the postings of a new segment in memory, and writes them as an impact file.
//!
//! While passages are added, the postings are stored in the order of the passages: for each passage, the numbers of its
//! terms with their frequencies. When the segment is written, one pass over them sorts them by term (a counting sort:
//! the number of postings of each term is known), and replaces frequencies with codes.

use std::io::{self, Write};

use ranking::Interner;
use tantivy::fieldnorm::FieldNormReader;

use super::dictionary::{Counter, Impact, OVERFLOW};
use super::write::ImpactFileWriter;
use crate::Analyzer;
use crate::analysis::term_numbers::TermNumbers;

/// The postings of the passages that were added to a segment.
pub(super) struct PostingsCollector {
    numbers: TermNumbers,
    /// By the number of the term.
    terms: Vec<TermState>,
    /// The terms of the current passage, each with its frequency, in the order of their first occurrences.
    current: Vec<(u32, u32)>,
    /// The postings of all passages. A posting is twice the number of its term if the frequency is 1; otherwise it is
    /// one more than that, and is followed by the frequency.
    postings: Vec<u32>,
    /// The number of postings of each passage.
    posting_counts: Vec<u32>,
    /// The sum of `posting_counts`.
    posting_count: usize,
    fieldnorms: Vec<u8>,
    impacts: Counter,
    /// Number of tokens of all passages.
    tokens: u64,
}

/// What is known about a term while passages are added.
#[derive(Debug, Clone, Copy, Default)]
struct TermState {
    /// Number of passages with the term.
    doc_freq: u32,
    /// The last passage with the term, plus 1; 0 if there is none yet.
    last: u32,
    /// If this passage is the current one, the index of the term in `current`.
    index: u32,
}

/// Number of bytes that each posting takes while the segment is written: a passage and a code.
const SORTED_POSTING_BYTES: usize = 5;
/// Number of bytes that each term takes while the segment is written: the end of its postings, its place in
/// alphabetical order, its record, and about 8 bytes in the FST.
const WRITTEN_TERM_BYTES: usize = 8 + 4 + 12 + 8;

impl PostingsCollector {
    pub fn new(analyzer: Analyzer) -> Self {
        Self {
            numbers: TermNumbers::new(analyzer),
            terms: Vec::new(),
            current: Vec::new(),
            postings: Vec::new(),
            posting_counts: Vec::new(),
            posting_count: 0,
            fieldnorms: Vec::new(),
            impacts: Counter::new(),
            tokens: 0,
        }
    }

    /// Analyzes the text of the next passage, and adds its postings.
    pub fn add(&mut self, text: &str) {
        let Self { numbers, terms, current, .. } = self;
        let passage = self.fieldnorms.len() as u32 + 1;
        let mut tokens = 0u32;
        numbers.for_each(text, |term| {
            tokens += 1;
            if term as usize == terms.len() {
                terms.push(TermState::default());
            }
            let state = &mut terms[term as usize];
            if state.last == passage {
                current[state.index as usize].1 += 1;
            } else {
                *state =
                    TermState { doc_freq: state.doc_freq + 1, last: passage, index: current.len() as u32 };
                current.push((term, 1));
            }
        });
        let fieldnorm = FieldNormReader::fieldnorm_to_id(tokens);
        for &(term, frequency) in &self.current {
            self.impacts.add(Impact { frequency, fieldnorm }, 1);
            // The memory of a writer is limited to 4 GB, so the numbers of terms are below 2^31.
            debug_assert!(term < 1 << 31);
            if frequency == 1 {
                self.postings.push(term << 1);
            } else {
                self.postings.extend([term << 1 | 1, frequency]);
            }
        }
        self.posting_counts.push(self.current.len() as u32);
        self.posting_count += self.current.len();
        self.current.clear();
        self.fieldnorms.push(fieldnorm);
        self.tokens += u64::from(tokens);
    }

    /// Returns the number of bytes of memory that the collector takes, including those that [`write`](Self::write) will
    /// need.
    pub fn memory_bytes(&self) -> usize {
        self.numbers.memory_bytes()
            + size_of::<TermState>() * self.terms.capacity()
            + WRITTEN_TERM_BYTES * self.terms.len()
            + size_of::<(u32, u32)>() * self.current.capacity()
            + size_of::<u32>() * (self.postings.capacity() + self.posting_counts.capacity())
            + self.fieldnorms.capacity()
            + SORTED_POSTING_BYTES * self.posting_count
    }

    /// Writes the impact file of the segment.
    pub fn write(self, to: impl Write) -> io::Result<()> {
        let dictionary = self.impacts.into_dictionary();
        let encoder = dictionary.encoder();
        let mut sorted = SortedPostings::new(&self.terms, self.posting_count);
        let mut postings = self.postings.iter().copied();
        for ((passage, &count), &fieldnorm) in (0..).zip(&self.posting_counts).zip(&self.fieldnorms) {
            for _ in 0..count {
                let posting = postings.next().expect("as many postings as were counted");
                let has_frequency = posting & 1 == 1;
                let frequency =
                    if has_frequency { postings.next().expect("the frequency of a posting") } else { 1 };
                let code = encoder.code(Impact { frequency, fieldnorm });
                sorted.push(posting >> 1, passage, code, frequency);
            }
        }
        drop(self.postings);
        sorted.write(
            self.numbers.terms(),
            ImpactFileWriter::new(to, &dictionary, &self.fieldnorms)?,
            self.tokens,
        )
    }
}

/// Postings that are sorted by term.
struct SortedPostings {
    doc_ids: Vec<u32>,
    codes: Vec<u8>,
    /// By the number of a term: the place of its next posting. At the end, this is where its postings end.
    ends: Vec<usize>,
    /// The term, the passage and the frequency of each posting with the code [`OVERFLOW`].
    overflow: Vec<(u32, u32, u32)>,
}

impl SortedPostings {
    fn new(terms: &[TermState], posting_count: usize) -> Self {
        let mut start = 0;
        let next = |state: &TermState| {
            start += state.doc_freq as usize;
            start - state.doc_freq as usize
        };
        let ends = terms.iter().map(next).collect();
        Self { doc_ids: vec![0; posting_count], codes: vec![0; posting_count], ends, overflow: Vec::new() }
    }

    #[inline]
    fn push(&mut self, term: u32, doc: u32, code: u8, frequency: u32) {
        let at = self.ends[term as usize];
        self.ends[term as usize] += 1;
        self.doc_ids[at] = doc;
        self.codes[at] = code;
        if code == OVERFLOW {
            self.overflow.push((term, doc, frequency));
        }
    }

    /// Writes the terms in alphabetical order.
    fn write(
        mut self,
        terms: &Interner,
        mut to: ImpactFileWriter<'_, impl Write>,
        tokens: u64,
    ) -> io::Result<()> {
        // The passages of a term are in ascending order already, and this sort keeps their order.
        self.overflow.sort_by_key(|&(term, ..)| term);
        let mut order: Vec<u32> = (0..self.ends.len() as u32).collect();
        order.sort_unstable_by_key(|&term| terms.get(term));
        for term in order {
            let start = term.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
            let range = start..self.ends[term as usize];
            let first = self.overflow.partition_point(|&(other, ..)| other < term);
            let overflow = self.overflow[first..].iter().take_while(|&&(other, ..)| other == term);
            let overflow = overflow.map(|&(_, doc, frequency)| (doc, frequency));
            let (doc_ids, codes) = (&self.doc_ids[range.clone()], &self.codes[range]);
            to.add_term(terms.get(term).as_bytes(), doc_ids, codes, overflow)?;
        }
        to.finish(tokens)
    }
}
