//! One segment of a commit, open for reading.

use std::borrow::Cow;
use std::sync::Arc;

use tantivy::directory::OwnedBytes;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, InvertedIndexReader, SegmentReader, TERMINATED, Term};

use crate::index::schema::Fields;
use crate::passages::file::Passages;
use crate::passages::plugin::read_passages;
use crate::postings::{Impacts, open_impacts, read_length_codes};

/// One segment.
pub(crate) struct Segment {
    pub reader: SegmentReader,
    pub terms: Arc<InvertedIndexReader>,
    ids: Arc<InvertedIndexReader>,
    length_codes: OwnedBytes,
    pub passages: Passages,
    pub impacts: Impacts,
    /// A bit for each passage that is not deleted; none if none is.
    alive: Option<Vec<u64>>,
}

impl Segment {
    pub fn open(reader: SegmentReader, fields: Fields) -> tantivy::Result<Self> {
        let length_codes = read_length_codes(&reader, fields.contents)?;
        let passages = read_passages(&reader)?;
        if length_codes.len() != passages.len() {
            let got = format!("{} lengths for {} passages", length_codes.len(), passages.len());
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, got).into());
        }
        let terms = reader.inverted_index(fields.contents)?;
        let impacts = open_impacts(&reader, &terms, &length_codes)?;
        let ids = reader.inverted_index(fields.id)?;
        let alive = reader.has_deletes().then(|| alive_words(&reader));
        Ok(Self { reader, terms, ids, length_codes, passages, impacts, alive })
    }

    /// For each passage the code of its length: Lucene's `SmallFloat.intToByte4`.
    pub fn length_codes(&self) -> &[u8] {
        &self.length_codes
    }

    /// A bit for each passage that may be a hit, being in the filter and not deleted; none if all may.
    pub fn allowed<'a>(&'a self, filter: Option<&'a [u64]>) -> Option<Cow<'a, [u64]>> {
        match (self.alive.as_deref(), filter) {
            (Some(alive), Some(filter)) => Some(alive.iter().zip(filter).map(|(a, b)| a & b).collect()),
            (alive, filter) => alive.or(filter).map(Cow::Borrowed),
        }
    }

    /// The number of a term in the dictionary.
    pub fn term_number(&self, term: &Term) -> std::io::Result<Option<u32>> {
        let number = self.terms.terms().term_ord(term.serialized_value_bytes())?;
        Ok(number.map(|number| u32::try_from(number).expect("fewer terms than the engine counts in u32")))
    }

    /// Where a term's postings are.
    pub fn term_info(&self, term: &Term) -> std::io::Result<Option<TermInfo>> {
        self.terms.get_term_info(term)
    }

    /// The passage that has this term as its id and is not deleted.
    pub fn find(&self, id: &Term) -> std::io::Result<Option<DocId>> {
        let Some(info) = self.ids.get_term_info(id)? else { return Ok(None) };
        let mut postings = self.ids.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
        while !postings.docs().is_empty() {
            let alive = |&&doc: &&DocId| doc != TERMINATED && !self.reader.is_deleted(doc);
            if let Some(&doc) = postings.docs().iter().find(alive) {
                return Ok(Some(doc));
            }
            postings.advance();
        }
        Ok(None)
    }
}

fn alive_words(reader: &SegmentReader) -> Vec<u64> {
    let mut words = vec![0u64; (reader.max_doc() as usize).div_ceil(64)];
    for doc in reader.doc_ids_alive() {
        words[doc as usize / 64] |= 1 << (doc % 64);
    }
    words
}
