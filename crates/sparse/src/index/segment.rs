//! One segment of a commit, open for reading.
//!
//! A segment has tantivy's files (ids and fields as terms with their postings, columns, stored fields) and two of ours:
//! the [passage file](crate::passages), and the [impact file](crate::postings) with the terms of titles and texts. A
//! passage's place in its segment is tantivy's `DocId`, from 0.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use tantivy::directory::OwnedBytes;
use tantivy::index::SegmentComponent;
use tantivy::schema::IndexRecordOption;
use tantivy::store::StoreReader;
use tantivy::{DocId, Index, InvertedIndexReader, SegmentMeta, SegmentReader, TERMINATED, Term};

use crate::Error;
use crate::index::corruption::{catch_read_panic, repair_hint};
use crate::index::schema::Fields;
use crate::index::tantivy_error::tantivy_error;
use crate::passages::file::PassageFile;
use crate::passages::plugin::read_passage_file;
use crate::postings::{ImpactFile, impact_file_name, open_impact_file};

/// Number of decompressed blocks of stored fields (of about 16 KiB each) that each segment caches.
const CACHED_BLOCKS: usize = 8;

/// An open segment.
pub(crate) struct Segment {
    pub reader: SegmentReader,
    /// Ids as terms, with their postings.
    ids: Arc<InvertedIndexReader>,
    /// Fields of passages, and the titles and texts that the caller asked to store.
    pub store: StoreReader,
    pub passages: PassageFile,
    pub impacts: ImpactFile,
    /// One bit per passage, set unless the passage is deleted; `None` if no passage is deleted.
    alive: Option<Vec<u64>>,
}

/// The parts of a segment that are opened with tantivy. `passage_file` is the content of the passage file; the other
/// fields have the same meaning as in [`Segment`].
struct TantivyParts {
    reader: SegmentReader,
    ids: Arc<InvertedIndexReader>,
    store: StoreReader,
    passage_file: OwnedBytes,
    alive: Option<Vec<u64>>,
}

impl Segment {
    /// Opens a segment and validates its files as far as possible without reading them completely. `path` is the folder
    /// of the index.
    pub fn open(index: &Index, meta: &SegmentMeta, fields: Fields, path: &Path) -> Result<Self, Error> {
        let error = |error| tantivy_error("open", path, error);
        let parts = catch_read_panic(|| {
            let segment = index.segment(meta.clone());
            let reader = SegmentReader::open(&segment)?;
            Ok(TantivyParts {
                ids: reader.inverted_index(fields.id)?,
                store: reader.get_store_reader(CACHED_BLOCKS)?,
                passage_file: read_passage_file(&reader)?,
                alive: reader.has_deletes().then(|| alive_words(&segment)).transpose()?,
                reader,
            })
        });
        let TantivyParts { reader, ids, store, passage_file, alive } = parts.map_err(error)?;
        let passages = PassageFile::open(passage_file, reader.max_doc())
            .map_err(|got| Error::corrupt(path, "an intact passage file", got))?;
        let impacts = open_impact_file(&reader).map_err(|failed| match error(failed) {
            Error::Corrupt { path: of, expected, got } if of == path => {
                let file = path.join(impact_file_name(&reader));
                let hint = repair_hint(&file);
                Error::Corrupt { path: file, expected, got: format!("{got}{hint}") }
            }
            error => error,
        })?;
        Ok(Self { reader, ids, store, passages, impacts, alive })
    }

    /// Returns one bit per passage, set if the passage may be a hit: it is not deleted, and if there is a filter, it is
    /// in the filter's set. `filter` has the words of this set. Returns `None` if all passages may be hits.
    pub fn allowed<'a>(&'a self, filter: Option<&'a [u64]>) -> Option<Cow<'a, [u64]>> {
        match (self.alive.as_deref(), filter) {
            (Some(alive), Some(filter)) => Some(alive.iter().zip(filter).map(|(a, b)| a & b).collect()),
            (alive, filter) => alive.or(filter).map(Cow::Borrowed),
        }
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
