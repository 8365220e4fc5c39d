//! Decodes all postings of a term, for merging segments, and validates them: the merged file will have a checksum of
//! its own.

use super::dictionary::{ABSENT, OVERFLOW};
use super::file::ImpactFile;
use super::layout::BLOCK;
use super::term_postings::{Gaps8, Gaps16, Postings};
use crate::index::corruption::catch_read_panic;

/// The postings of one term. The buffers are reused from term to term.
#[derive(Debug, Default)]
pub(crate) struct DecodedPostings {
    /// Passages, in ascending order.
    pub doc_ids: Vec<u32>,
    /// The code of each posting.
    pub codes: Vec<u8>,
    /// The passage and the frequency of each posting with the code [`OVERFLOW`], in the same order.
    pub overflow: Vec<(u32, u32)>,
}

impl DecodedPostings {
    pub fn clear(&mut self) {
        self.doc_ids.clear();
        self.codes.clear();
        self.overflow.clear();
    }

    /// Replaces the postings with those of the term with this ordinal. The error says what was found in place of valid
    /// postings.
    pub fn read(&mut self, file: &ImpactFile, term_ord: u32) -> Result<(), String> {
        self.clear();
        let read = || Ok(self.read_unchecked(file, term_ord));
        let doc_freq = catch_read_panic(read).map_err(|error| error.to_string())?;
        self.check(file, term_ord, doc_freq as usize)
    }

    /// Reads the postings, which may be invalid, and returns the number that they should have. Panics if they are not
    /// in the file.
    fn read_unchecked(&mut self, file: &ImpactFile, term_ord: u32) -> u32 {
        let term = file.term(term_ord);
        match term.postings {
            Postings::Gaps16(gaps) => self.read_gaps16(gaps),
            Postings::Gaps8(gaps) => self.read_gaps8(gaps),
            Postings::Bitmap(bitmap) => {
                for (&word, start) in bitmap.words.iter().zip((0..).step_by(64)) {
                    let mut word = u64::from_le_bytes(word);
                    while word != 0 {
                        self.doc_ids.push(start + word.trailing_zeros());
                        word &= word - 1;
                    }
                }
                self.codes.extend(bitmap.codes.iter().take(term.doc_freq as usize));
            }
        }
        self.overflow.extend(term.overflow.within(0, u32::MAX));
        term.doc_freq
    }

    fn read_gaps16(&mut self, Gaps16 { gaps, codes }: Gaps16<'_>) {
        let mut doc = 0u32;
        for (&gap, &code) in gaps.iter().zip(codes) {
            doc = doc.wrapping_add(u32::from(u16::from_le_bytes(gap)));
            if code != ABSENT {
                self.doc_ids.push(doc);
                self.codes.push(code);
            }
        }
    }

    fn read_gaps8(&mut self, gaps: Gaps8<'_>) {
        for block in 0..gaps.block_starts.len() - 1 {
            let mut doc = (block * BLOCK) as u32;
            for &[gap, code] in gaps.block(block) {
                doc = doc.wrapping_add(u32::from(gap));
                if code != ABSENT {
                    self.doc_ids.push(doc);
                    self.codes.push(code);
                }
            }
        }
    }

    fn check(&self, file: &ImpactFile, term_ord: u32, doc_freq: usize) -> Result<(), String> {
        let last = self.doc_ids.last().map_or(0, |&last| last as usize + 1);
        let are_valid = self.doc_ids.len() == doc_freq
            && self.codes.len() == doc_freq
            && doc_freq > 0
            && self.doc_ids.is_sorted_by(|a, b| a < b)
            && last <= file.passages;
        if !are_valid {
            let count = self.doc_ids.len();
            return Err(format!("{count} postings, up to passage {last}, of term {term_ord}"));
        }
        let max_code = file.dictionary.impacts.len() as u8;
        let mut overflow = self.overflow.iter();
        for (&doc, &code) in self.doc_ids.iter().zip(&self.codes) {
            let is_valid = match code {
                ABSENT => false,
                OVERFLOW => overflow.next().is_some_and(|&(other, frequency)| other == doc && frequency > 0),
                code => code <= max_code,
            };
            if !is_valid {
                return Err(format!(
                    "an invalid posting of term {term_ord} in passage {doc}, with code {code}"
                ));
            }
        }
        if overflow.next().is_some() {
            return Err(format!("{} overflow entries of term {term_ord}", self.overflow.len()));
        }
        Ok(())
    }
}
