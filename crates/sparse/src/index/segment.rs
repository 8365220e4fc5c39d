//! One segment of a commit, open for reading.
//!
//! A segment has tantivy's files (term dictionary, postings, fieldnorms, columns, stored fields) and two of ours: the
//! [passage file](crate::passages) and the [impact file](crate::postings). A passage's place in its segment is
//! tantivy's `DocId`, from 0.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use tantivy::directory::OwnedBytes;
use tantivy::index::SegmentComponent;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::store::StoreReader;
use tantivy::{DocId, Index, InvertedIndexReader, SegmentMeta, SegmentReader, TERMINATED, Term};

use crate::Error;
use crate::index::corruption::catch_tantivy;
use crate::index::schema::Fields;
use crate::index::tantivy_error::tantivy_error;
use crate::passages::file::PassageFile;
use crate::passages::plugin::read_passage_file;
use crate::postings::{ImpactFile, open_impact_file, read_fieldnorms};

/// Number of decompressed blocks of stored fields (of about 16 KiB each) that each segment caches.
const CACHED_BLOCKS: usize = 8;

/// An open segment.
pub(crate) struct Segment {
    pub reader: SegmentReader,
    /// Terms and postings of titles and texts.
    pub terms: Arc<InvertedIndexReader>,
    /// Ids as terms, with their postings.
    ids: Arc<InvertedIndexReader>,
    /// Fields of passages, and the titles and texts that the caller asked to store.
    pub store: StoreReader,
    fieldnorms: OwnedBytes,
    pub passages: PassageFile,
    pub impacts: ImpactFile,
    /// One bit per passage, set unless the passage is deleted; `None` if no passage is deleted.
    alive: Option<Vec<u64>>,
}

/// The parts of a segment that are opened with tantivy. `passage_file` is the content of the passage file; the other
/// fields have the same meaning as in [`Segment`].
struct TantivyParts {
    reader: SegmentReader,
    terms: Arc<InvertedIndexReader>,
    ids: Arc<InvertedIndexReader>,
    store: StoreReader,
    fieldnorms: OwnedBytes,
    passage_file: OwnedBytes,
    alive: Option<Vec<u64>>,
}

impl Segment {
    /// Opens a segment and validates its files as far as possible without reading them completely. `path` is the folder
    /// of the index.
    pub fn open(index: &Index, meta: &SegmentMeta, fields: Fields, path: &Path) -> Result<Self, Error> {
        let error = |error| tantivy_error("open", path, error);
        let parts = catch_tantivy(|| {
            let segment = index.segment(meta.clone());
            let reader = SegmentReader::open(&segment)?;
            Ok(TantivyParts {
                terms: reader.inverted_index(fields.contents)?,
                ids: reader.inverted_index(fields.id)?,
                store: reader.get_store_reader(CACHED_BLOCKS)?,
                fieldnorms: read_fieldnorms(&reader, fields.contents)?,
                passage_file: read_passage_file(&reader)?,
                alive: reader.has_deletes().then(|| alive_words(&segment)).transpose()?,
                reader,
            })
        });
        let TantivyParts { reader, terms, ids, store, fieldnorms, passage_file, alive } =
            parts.map_err(error)?;
        let passages = PassageFile::open(passage_file, reader.max_doc())
            .map_err(|got| Error::corrupt(path, "an intact passage file", got))?;
        if fieldnorms.len() != passages.len() {
            let got = format!("{} fieldnorms for {} passages", fieldnorms.len(), passages.len());
            return Err(Error::corrupt(path, "a fieldnorm for each passage", got));
        }
        let impacts = open_impact_file(&reader, &terms, &fieldnorms).map_err(error)?;
        Ok(Self { reader, terms, ids, store, fieldnorms, passages, impacts, alive })
    }

    /// Returns the fieldnorm of each passage: Lucene's `SmallFloat.intToByte4` of its number of tokens.
    pub fn fieldnorms(&self) -> &[u8] {
        &self.fieldnorms
    }

    /// Returns one bit per passage, set if the passage may be a hit: it is not deleted, and if there is a filter, it is
    /// in the filter's set. `filter` has the words of this set. Returns `None` if all passages may be hits.
    pub fn allowed<'a>(&'a self, filter: Option<&'a [u64]>) -> Option<Cow<'a, [u64]>> {
        match (self.alive.as_deref(), filter) {
            (Some(alive), Some(filter)) => Some(alive.iter().zip(filter).map(|(a, b)| a & b).collect()),
            (alive, filter) => alive.or(filter).map(Cow::Borrowed),
        }
    }

    /// Returns the ordinal of a term in the term dictionary; `None` if the segment does not have the term.
    pub fn term_ord(&self, term: &Term) -> std::io::Result<Option<u32>> {
        let ord = self.terms.terms().term_ord(term.serialized_value_bytes())?;
        Ok(ord.map(|ord| u32::try_from(ord).expect("tantivy counts the terms of a segment in u32")))
    }

    /// Returns the location of a term's postings in tantivy's file; `None` if the segment does not have the term.
    pub fn term_info(&self, term: &Term) -> std::io::Result<Option<TermInfo>> {
        self.terms.get_term_info(term)
    }

    /// Returns the passage with this id; `None` if there is none, or if it is deleted.
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

/// Returns one bit per passage, set unless the passage is deleted.
///
/// This function copies the words of tantivy's file of deletions: a number of passages (u32), then one bit per passage
/// in words of 64 bits, all little-endian. Asking tantivy for each passage would take a hundred times as long, and
/// every commit with a deletion in a large segment would wait for that.
fn alive_words(segment: &tantivy::Segment) -> tantivy::Result<Vec<u64>> {
    let bytes = segment.open_read(SegmentComponent::Delete)?.read_bytes()?;
    let (words, _) = bytes[size_of::<u32>()..].as_chunks();
    let mut words: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
    let count = segment.meta().max_doc() as usize;
    words.resize(count.div_ceil(64), 0);
    if let Some(last) = words.last_mut().filter(|_| !count.is_multiple_of(64)) {
        *last &= (1 << (count % 64)) - 1;
    }
    Ok(words)
}
