//! One segment of a commit, open for reading.
//!
//! A segment has tantivy's files (term dictionary, postings, fieldnorms, columns, stored fields) and two of ours: the
//! [passage file](crate::passages) and the [impact file](crate::postings). Positions of passages within a segment are
//! tantivy's `DocId`s, from 0.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use tantivy::directory::OwnedBytes;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Index, InvertedIndexReader, SegmentMeta, SegmentReader, TERMINATED, Term};

use crate::Error;
use crate::index::corruption::catch_tantivy;
use crate::index::schema::Fields;
use crate::index::tantivy_error::tantivy_error;
use crate::passages::file::PassageFile;
use crate::passages::plugin::read_passage_file;
use crate::postings::{ImpactFile, open_impact_file, read_fieldnorms};

pub(crate) struct Segment {
    pub reader: SegmentReader,
    pub terms: Arc<InvertedIndexReader>,
    ids: Arc<InvertedIndexReader>,
    fieldnorms: OwnedBytes,
    pub passages: PassageFile,
    pub impacts: ImpactFile,
    /// One bit per passage, set unless the passage is deleted; `None` if no passage is deleted.
    alive: Option<Vec<u64>>,
}

/// What tantivy opens for a segment.
struct TantivyParts {
    reader: SegmentReader,
    terms: Arc<InvertedIndexReader>,
    ids: Arc<InvertedIndexReader>,
    fieldnorms: OwnedBytes,
    passage_file: OwnedBytes,
    alive: Option<Vec<u64>>,
}

impl Segment {
    /// Opens a segment and validates its files as far as that is possible without reading them whole. `path` is the
    /// folder of the index.
    pub fn open(index: &Index, meta: &SegmentMeta, fields: Fields, path: &Path) -> Result<Self, Error> {
        let error = |error| tantivy_error("open", path, error);
        let parts = catch_tantivy(|| {
            let reader = SegmentReader::open(&index.segment(meta.clone()))?;
            Ok(TantivyParts {
                terms: reader.inverted_index(fields.contents)?,
                ids: reader.inverted_index(fields.id)?,
                fieldnorms: read_fieldnorms(&reader, fields.contents)?,
                passage_file: read_passage_file(&reader)?,
                alive: reader.has_deletes().then(|| alive_words(&reader)),
                reader,
            })
        });
        let TantivyParts { reader, terms, ids, fieldnorms, passage_file, alive } = parts.map_err(error)?;
        let passages = PassageFile::open(passage_file, reader.max_doc())
            .map_err(|got| Error::corrupt(path, "an intact passage file", got))?;
        if fieldnorms.len() != passages.len() {
            let got = format!("{} fieldnorms for {} passages", fieldnorms.len(), passages.len());
            return Err(Error::corrupt(path, "a fieldnorm for each passage", got));
        }
        let impacts = open_impact_file(&reader, &terms, &fieldnorms).map_err(error)?;
        Ok(Self { reader, terms, ids, fieldnorms, passages, impacts, alive })
    }

    /// The quantized length of each passage: Lucene's `SmallFloat.intToByte4` of its number of tokens.
    pub fn fieldnorms(&self) -> &[u8] {
        &self.fieldnorms
    }

    /// One bit per passage, set if the passage may be a hit: it is in the filter's set, if there is one, and not
    /// deleted. `None` if all passages may be hits.
    pub fn allowed<'a>(&'a self, filter: Option<&'a [u64]>) -> Option<Cow<'a, [u64]>> {
        match (self.alive.as_deref(), filter) {
            (Some(alive), Some(filter)) => Some(alive.iter().zip(filter).map(|(a, b)| a & b).collect()),
            (alive, filter) => alive.or(filter).map(Cow::Borrowed),
        }
    }

    /// The ordinal of a term in the term dictionary.
    pub fn term_ord(&self, term: &Term) -> std::io::Result<Option<u32>> {
        let ord = self.terms.terms().term_ord(term.serialized_value_bytes())?;
        Ok(ord.map(|ord| u32::try_from(ord).expect("tantivy counts the terms of a segment in u32")))
    }

    /// Where tantivy's postings of a term are.
    pub fn term_info(&self, term: &Term) -> std::io::Result<Option<TermInfo>> {
        self.terms.get_term_info(term)
    }

    /// The passage with this id, unless it is deleted.
    pub fn find(&self, id: &Term) -> std::io::Result<Option<DocId>> {
        let Some(info) = self.ids.get_term_info(id)? else { return Ok(None) };
        let mut postings = self.ids.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
        while !postings.docs().is_empty() {
            let is_alive = |&&doc: &&DocId| doc != TERMINATED && !self.reader.is_deleted(doc);
            if let Some(&doc) = postings.docs().iter().find(is_alive) {
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
