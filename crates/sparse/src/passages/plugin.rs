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
use tantivy::schema::{IndexRecordOption, Schema, Value};
use tantivy::{DocId, TantivyDocument, TantivyError};

use super::builder::PassageFileBuilder;
use super::file::PassageFile;
use crate::index::corruption::{catch_tantivy, report_bugs};
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

/// Appends those passages of a source segment that are not deleted to the merged segment. Returns the source segment's
/// passage file.
fn append(segment: &SegmentReader, merged: &mut PassageFileBuilder) -> tantivy::Result<PassageFile> {
    let file = PassageFile::open(read_passage_file(segment)?, segment.max_doc()).map_err(corrupt)?;
    for doc in segment.doc_ids_alive() {
        let id = file.id(doc).ok_or_else(|| corrupt("an id that is not text".to_owned()))?;
        merged.push(file.ord(doc), id);
    }
    Ok(file)
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
            let (mut tokens, mut with_tokens) = (0, 0);
            for reader in context.readers {
                let file = append(reader, &mut merged)?;
                tokens += file.tokens;
                with_tokens += file.with_tokens;
            }
            if context.readers.iter().any(SegmentReader::has_deletes) {
                // The sums include deleted passages, and tantivy's own number of tokens is only an estimate after
                // deletions. But idf and average length must be exact.
                let segment = context.target_segment.clone().with_max_doc(merged.len() as u32);
                (tokens, with_tokens) = catch_tantivy(|| {
                    let segment = SegmentReader::open(&segment)?;
                    Ok((count_tokens(&segment, self.fields)?, count_with_tokens(&segment, self.fields)?))
                })?;
            }
            write(&merged, tokens, with_tokens, context.target_segment)
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
        let reader = SegmentReader::open(&segment.clone().with_max_doc(self.passages.len() as u32))?;
        let tokens = reader.inverted_index(self.fields.contents)?.total_num_tokens();
        write(&self.passages, tokens, count_with_tokens(&reader, self.fields)?, segment)
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

/// Counts the tokens of a segment by adding up the frequencies in its postings.
fn count_tokens(segment: &SegmentReader, fields: Fields) -> tantivy::Result<u64> {
    let index = segment.inverted_index(fields.contents)?;
    let mut tokens = 0;
    let mut terms = index.terms().stream()?;
    while terms.advance() {
        let mut postings =
            index.read_block_postings_from_terminfo(terms.value(), IndexRecordOption::WithFreqs)?;
        while !postings.docs().is_empty() {
            tokens += postings.freqs().iter().map(|&frequency| u64::from(frequency)).sum::<u64>();
            postings.advance();
        }
    }
    Ok(tokens)
}

/// Counts the passages of a segment that have at least one token: those whose fieldnorm is not 0.
fn count_with_tokens(segment: &SegmentReader, fields: Fields) -> tantivy::Result<u64> {
    let fieldnorms = segment.get_fieldnorms_reader(fields.contents)?;
    Ok((0..segment.max_doc()).filter(|&doc| fieldnorms.fieldnorm_id(doc) > 0).count() as u64)
}

fn write(
    passages: &PassageFileBuilder,
    tokens: u64,
    with_tokens: u64,
    to: &tantivy::Segment,
) -> tantivy::Result<()> {
    let mut file = to.open_write(SegmentComponent::Custom(EXTENSION.to_owned()))?;
    passages.write(tokens, with_tokens, &mut file)?;
    file.terminate()?;
    Ok(())
}

fn corrupt(what: String) -> TantivyError {
    io::Error::new(io::ErrorKind::InvalidData, what).into()
}
