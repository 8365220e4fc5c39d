//! Writes impact files with the engine's segments.

use std::any::Any;
use std::io::{BufWriter, Write};

use tantivy::directory::error::OpenReadError;
use tantivy::directory::{CompositeFile, OwnedBytes, TerminatingWrite};
use tantivy::index::{SegmentComponent, SegmentReader};
use tantivy::indexer::DocIdMapping;
use tantivy::plugin::{PluginMergeContext, PluginWriter, PluginWriterContext, SegmentPlugin};
use tantivy::schema::Field;
use tantivy::{InvertedIndexReader, TantivyError};

use super::builder::build;
use super::file::Impacts;

const EXTENSION: &str = "impacts";

pub(crate) struct ImpactsPlugin {
    pub contents: Field,
}

struct ImpactsWriter {
    contents: Field,
    passages: u32,
}

/// The impacts of a segment: its file's, or made anew where there is no file, or one of another version or of
/// other postings.
pub(crate) fn open_or_build(
    segment: &SegmentReader,
    terms: &InvertedIndexReader,
    length_codes: &[u8],
) -> tantivy::Result<Impacts> {
    let (passages, count) = (length_codes.len(), terms.terms().num_terms() as u64);
    let file = match segment.open_read(SegmentComponent::Custom(EXTENSION.to_owned())) {
        Ok(file) => Some(file.read_bytes()?),
        Err(OpenReadError::FileDoesNotExist(_)) => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(Ok(impacts)) = file.map(|bytes| Impacts::open(bytes, passages, count)) {
        return Ok(impacts);
    }
    let mut bytes = Vec::new();
    build(terms, length_codes, &mut bytes)?;
    Impacts::open(OwnedBytes::new(bytes), passages, count).map_err(TantivyError::InternalError)
}

/// For each passage of a segment the code of its length: Lucene's `SmallFloat.intToByte4`.
pub(crate) fn read_length_codes(segment: &SegmentReader, contents: Field) -> tantivy::Result<OwnedBytes> {
    let lengths = CompositeFile::open(&segment.open_read(SegmentComponent::FieldNorms)?)?;
    let lengths = lengths.open_read(contents).map(|file| file.read_bytes()).transpose()?;
    Ok(lengths.unwrap_or_else(OwnedBytes::empty))
}

fn write(segment: &tantivy::Segment, passages: u32, contents: Field) -> tantivy::Result<()> {
    let written = SegmentReader::open(&segment.clone().with_max_doc(passages))?;
    let (terms, length_codes) = (written.inverted_index(contents)?, read_length_codes(&written, contents)?);
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
        write(context.target_segment, passages, self.contents)
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
        write(segment, self.passages, self.contents)
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
