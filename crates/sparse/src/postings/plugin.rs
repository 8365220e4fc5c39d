//! Writes impact files with the engine's segments.

use std::any::Any;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tantivy::directory::error::DeleteError;
use tantivy::directory::{CompositeFile, Directory, OwnedBytes, TerminatingWrite};
use tantivy::index::{SegmentComponent, SegmentReader};
use tantivy::indexer::DocIdMapping;
use tantivy::plugin::{PluginMergeContext, PluginWriter, PluginWriterContext, SegmentPlugin};
use tantivy::schema::Field;
use tantivy::{Index, InvertedIndexReader, TantivyError};

use super::builder::build;
use super::file::Impacts;
use crate::index::integrity::matches_checksum;

const EXTENSION: &str = "impacts";

pub(crate) struct ImpactsPlugin {
    pub contents: Field,
}

struct ImpactsWriter {
    contents: Field,
    passages: u32,
}

/// Reads the impacts of a segment from its file, or rebuilds them if the file has another version or other postings.
pub(crate) fn open_impacts(
    segment: &SegmentReader,
    terms: &InvertedIndexReader,
    length_codes: &[u8],
) -> tantivy::Result<Impacts> {
    let (passages, count) = (length_codes.len(), terms.terms().num_terms() as u64);
    let file = segment.open_read(SegmentComponent::Custom(EXTENSION.to_owned()))?.read_bytes()?;
    if let Ok(impacts) = Impacts::open(file, passages, count) {
        return Ok(impacts);
    }
    let mut bytes = Vec::new();
    build(terms, length_codes, &mut bytes)?;
    Impacts::open(OwnedBytes::new(bytes), passages, count).map_err(TantivyError::InternalError)
}

/// Writes the impact files of the last commit's segments that are missing or damaged, for example because a repair was
/// interrupted, and returns their number. Snapshot with other damaged files are skipped: their postings may be wrong, and
/// an impact file that is built from wrong postings would have a valid checksum. The caller must hold the writer's lock.
pub(crate) fn rebuild_damaged(index: &Index, path: &Path, contents: Field) -> tantivy::Result<u64> {
    let (directory, mut rebuilt) = (index.directory(), 0);
    let files = index.load_metas()?.list_segment_files();
    for segment in index.searchable_segments()? {
        let impacts = segment.meta().relative_path(SegmentComponent::Custom(EXTENSION.to_owned()));
        if matches_checksum(index, path, &impacts)? {
            continue;
        }
        let id = segment.id().uuid_string();
        let is_source = |file: &&PathBuf| {
            let name = file.to_str().unwrap_or_default();
            name.starts_with(&id) && **file != impacts && path.join(file).exists()
        };
        let sources = files.iter().filter(is_source).map(|file| matches_checksum(index, path, file));
        if !sources.collect::<tantivy::Result<Vec<bool>>>()?.into_iter().all(|intact| intact) {
            continue;
        }
        match directory.delete(&impacts) {
            Ok(()) | Err(DeleteError::FileDoesNotExist(_)) => {}
            Err(error) => return Err(io::Error::other(error.to_string()).into()),
        }
        let reader = SegmentReader::open(&segment)?;
        write(&segment, &reader, contents).inspect_err(|_| drop(directory.delete(&impacts)))?;
        rebuilt += 1;
    }
    if rebuilt > 0 {
        directory.sync_directory()?;
    }
    Ok(rebuilt)
}

/// For each passage of a segment the code of its length: Lucene's `SmallFloat.intToByte4`.
pub(crate) fn read_length_codes(segment: &SegmentReader, contents: Field) -> tantivy::Result<OwnedBytes> {
    let lengths = CompositeFile::open(&segment.open_read(SegmentComponent::FieldNorms)?)?;
    let lengths = lengths.open_read(contents).map(|file| file.read_bytes()).transpose()?;
    Ok(lengths.unwrap_or_else(OwnedBytes::empty))
}

/// Writes the impact file of a new segment with the given number of passages.
fn write_new(segment: &tantivy::Segment, passages: u32, contents: Field) -> tantivy::Result<()> {
    write(segment, &SegmentReader::open(&segment.clone().with_max_doc(passages))?, contents)
}

fn write(segment: &tantivy::Segment, reader: &SegmentReader, contents: Field) -> tantivy::Result<()> {
    let (terms, length_codes) = (reader.inverted_index(contents)?, read_length_codes(reader, contents)?);
    let mut file = BufWriter::with_capacity(
        1 << 16,
        segment.open_write(SegmentComponent::Custom(EXTENSION.to_owned()))?,
    );
    build(&terms, &length_codes, &mut file)?;
    file.flush()?;
    let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    file.terminate()?;
    Ok(())
}

impl SegmentPlugin for ImpactsPlugin {
    fn extensions(&self) -> &[&str] {
        &[EXTENSION]
    }

    fn create_writer(&self, _: &PluginWriterContext) -> tantivy::Result<Box<dyn PluginWriter>> {
        Ok(Box::new(ImpactsWriter { contents: self.contents, passages: 0 }))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        let passages = context.readers.iter().map(SegmentReader::num_docs).sum();
        write_new(context.target_segment, passages, self.contents)
    }
}

impl PluginWriter for ImpactsWriter {
    fn add_document(
        &mut self,
        _: tantivy::DocId,
        _: &dyn tantivy::schema::document::ErasedDocument,
        _: &tantivy::schema::Schema,
    ) -> tantivy::Result<()> {
        self.passages += 1;
        Ok(())
    }

    fn serialize(
        self: Box<Self>,
        segment: &tantivy::Segment,
        mapping: Option<&DocIdMapping>,
    ) -> tantivy::Result<()> {
        if mapping.is_some() {
            return Err(TantivyError::InvalidArgument("passages of a segment stay in order".to_owned()));
        }
        write_new(segment, self.passages, self.contents)
    }

    fn mem_usage(&self) -> usize {
        0
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
