//! The tantivy plugin that writes a segment's passage file whenever tantivy writes the segment: after passages have
//! been added ([`PluginWriter::serialize`]), and after segments have been merged ([`SegmentPlugin::merge`]).

use std::any::Any;
use std::io;

use tantivy::directory::{OwnedBytes, TerminatingWrite};
use tantivy::index::{SegmentComponent, SegmentReader};
use tantivy::indexer::DocIdMapping;
use tantivy::indexer::doc_id_mapping::MappingType;
use tantivy::plugin::{PluginMergeContext, PluginWriter, PluginWriterContext, SegmentPlugin};
use tantivy::schema::document::ErasedDocument;
use tantivy::schema::{Schema, Value};
use tantivy::{DocId, TantivyDocument, TantivyError};

use super::builder::PassageFileBuilder;
use super::file::PassageFile;
use crate::index::corruption::report_bugs;
use crate::index::schema::Fields;

/// Extension of passage files.
const EXTENSION: &str = "passages";

pub(crate) struct PassagePlugin {
    pub fields: Fields,
}

/// Collects the ords and ids of the passages that are added to a new segment.
struct PassageWriter {
    fields: Fields,
    passages: PassageFileBuilder,
}

/// Reads the passage file of a segment.
pub(crate) fn read_passage_file(segment: &SegmentReader) -> tantivy::Result<OwnedBytes> {
    Ok(segment.open_read(SegmentComponent::Custom(EXTENSION.to_owned()))?.read_bytes()?)
}

/// Appends those passages of a source segment that are not deleted to the merged segment.
fn append(segment: &SegmentReader, merged: &mut PassageFileBuilder) -> tantivy::Result<()> {
    let file = PassageFile::open(read_passage_file(segment)?, segment.max_doc()).map_err(corrupt)?;
    for doc in segment.doc_ids_alive() {
        let id = file.id(doc).ok_or_else(|| corrupt("an id that is not text".to_owned()))?;
        merged.push(file.ord(doc), id);
    }
    Ok(())
}

impl SegmentPlugin for PassagePlugin {
    fn extensions(&self) -> &[&str] {
        &[EXTENSION]
    }

    fn create_writer(&self, _: &PluginWriterContext) -> tantivy::Result<Box<dyn PluginWriter>> {
        Ok(Box::new(PassageWriter { fields: self.fields, passages: PassageFileBuilder::default() }))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        if context.doc_id_mapping.mapping_type() == MappingType::Shuffled {
            return Err(TantivyError::InvalidArgument("a merge must keep passages in order".to_owned()));
        }
        report_bugs(|| {
            let mut merged = PassageFileBuilder::default();
            for reader in context.readers {
                append(reader, &mut merged)?;
            }
            write(&merged, context.target_segment)
        })
    }
}

impl PluginWriter for PassageWriter {
    fn add_document(&mut self, _: DocId, document: &dyn ErasedDocument, _: &Schema) -> tantivy::Result<()> {
        let missing = || TantivyError::InvalidArgument("expected a passage with an id and an ord".to_owned());
        let document = document.as_any().downcast_ref::<TantivyDocument>().ok_or_else(missing)?;
        let ord = document.get_first(self.fields.ord).and_then(|value| value.as_u64()).ok_or_else(missing)?;
        let ord = u32::try_from(ord).map_err(|_| missing())?;
        let id = document.get_first(self.fields.id).ok_or_else(missing)?;
        self.passages.push(ord, id.as_str().ok_or_else(missing)?);
        Ok(())
    }

    fn serialize(
        self: Box<Self>,
        segment: &tantivy::Segment,
        mapping: Option<&DocIdMapping>,
    ) -> tantivy::Result<()> {
        if mapping.is_some() {
            return Err(TantivyError::InvalidArgument(
                "a segment must keep its passages in order".to_owned(),
            ));
        }
        write(&self.passages, segment)
    }

    fn mem_usage(&self) -> usize {
        self.passages.bytes()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

fn write(passages: &PassageFileBuilder, to: &tantivy::Segment) -> tantivy::Result<()> {
    let mut file = to.open_write(SegmentComponent::Custom(EXTENSION.to_owned()))?;
    passages.write(&mut file)?;
    file.terminate()?;
    Ok(())
}

fn corrupt(what: String) -> TantivyError {
    io::Error::new(io::ErrorKind::InvalidData, what).into()
}
