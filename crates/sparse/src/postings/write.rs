//! Writes an impact file ([`super::file`] describes it), term by term.

use std::io::{self, Write};

use tantivy_fst::MapBuilder;

use super::dictionary::{Dictionary, MAX_IMPACTS};
use super::file::{
    FOOTER_BYTES, HAS_OVERFLOW_SHIFT, HEADER_BYTES, LAYOUT_SHIFT, MAGIC, RECORD_BYTES, VERSION,
};
use super::layout::encode;
use super::term_postings::OVERFLOW_ENTRY_BYTES;

/// An impact file that is being written.
pub(super) struct ImpactFileWriter<'a, W> {
    to: W,
    dictionary: &'a Dictionary,
    /// The fieldnorm of each passage.
    fieldnorms: &'a [u8],
    /// Maps the terms written so far to their ordinals.
    terms: MapBuilder<Vec<u8>>,
    /// The records of these terms.
    records: Vec<u8>,
    overflow: Vec<u8>,
    /// Where the postings of the next term start in the file.
    start: u64,
    /// The encoded postings of one term.
    bytes: Vec<u8>,
}

impl<'a, W: Write> ImpactFileWriter<'a, W> {
    pub fn new(mut to: W, dictionary: &'a Dictionary, fieldnorms: &'a [u8]) -> io::Result<Self> {
        to.write_all(&MAGIC)?;
        to.write_all(&VERSION.to_le_bytes())?;
        to.write_all(&(fieldnorms.len() as u32).to_le_bytes())?;
        let terms = MapBuilder::memory();
        let (records, overflow, bytes) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { to, dictionary, fieldnorms, terms, records, overflow, start: HEADER_BYTES as u64, bytes })
    }

    /// Writes the postings of a term: passages in ascending order, and the code of each. `overflow` has the passage and
    /// the frequency of each posting with the code [`OVERFLOW`](super::dictionary::OVERFLOW). The terms must be in
    /// ascending order.
    pub fn add_term(
        &mut self,
        term: &[u8],
        doc_ids: &[u32],
        codes: &[u8],
        overflow: impl Iterator<Item = (u32, u32)>,
    ) -> io::Result<()> {
        let term_ord = (self.records.len() / RECORD_BYTES) as u32;
        self.terms.insert(term, u64::from(term_ord)).map_err(invalid_data)?;
        let overflow_before = self.overflow.len();
        for (doc, frequency) in overflow {
            self.overflow.extend([term_ord, doc, frequency].map(u32::to_le_bytes).as_flattened());
        }
        self.bytes.clear();
        let layout = encode(doc_ids, codes, self.fieldnorms.len(), &mut self.bytes);
        let has_overflow = u64::from(self.overflow.len() > overflow_before) << HAS_OVERFLOW_SHIFT;
        self.records.extend((doc_ids.len() as u32).to_le_bytes());
        self.records.extend((self.start | has_overflow | (layout as u64) << LAYOUT_SHIFT).to_le_bytes());
        self.start += self.bytes.len() as u64;
        self.to.write_all(&self.bytes)
    }

    /// Writes the rest of the file. `tokens` is the number of tokens of all passages.
    pub fn finish(mut self, tokens: u64) -> io::Result<()> {
        let terms = self.terms.into_inner().map_err(invalid_data)?;
        let term_count = self.records.len() / RECORD_BYTES;
        let overflow_count = self.overflow.len() / OVERFLOW_ENTRY_BYTES;
        self.to.write_all(&self.overflow)?;
        self.to.write_all(&self.records)?;
        self.to.write_all(self.fieldnorms)?;
        self.to.write_all(&terms)?;
        let mut footer = Vec::with_capacity(FOOTER_BYTES);
        for impact in &self.dictionary.impacts {
            footer
                .extend([impact.frequency, u32::from(impact.fieldnorm)].map(u32::to_le_bytes).as_flattened());
        }
        footer.resize(8 * MAX_IMPACTS, 0);
        let with_tokens = self.fieldnorms.iter().filter(|&&fieldnorm| fieldnorm > 0).count();
        for count in
            [overflow_count as u64, term_count as u64, terms.len() as u64, tokens, with_tokens as u64]
        {
            footer.extend(count.to_le_bytes());
        }
        self.to.write_all(&footer)
    }
}

/// Terms are inserted in ascending order, so an error is about the terms of corrupt files.
fn invalid_data(error: tantivy_fst::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}
