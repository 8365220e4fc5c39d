//! Writes and merges passage files with the engine's segments.

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

use crate::index::schema::Fields;
use crate::passages::file::{Passages, PassagesBuilder};

const EXTENSION: &str = "passages";

pub(crate) struct PassagesPlugin {
    pub fields: Fields,
}

struct PassagesWriter {
    fields: Fields,
    passages: PassagesBuilder,
}

/// Opens the passage file of a segment.
pub(crate) fn read_passages(segment: &SegmentReader) -> tantivy::Result<Passages> {
    let bytes: OwnedBytes =
        segment.open_read(SegmentComponent::Custom(EXTENSION.to_owned()))?.read_bytes()?;
    let passages = Passages::open(bytes).map_err(damaged)?;
    if passages.len() != segment.max_doc() as usize {
        return Err(damaged(format!("{} passages in a segment of {}", passages.len(), segment.max_doc())));
    }
    Ok(passages)
}

impl SegmentPlugin for PassagesPlugin {
    fn extensions(&self) -> &[&str] {
        &[EXTENSION]
    }

    fn create_writer(&self, _: &PluginWriterContext) -> tantivy::Result<Box<dyn PluginWriter>> {
        Ok(Box::new(PassagesWriter { fields: self.fields, passages: PassagesBuilder::default() }))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        if context.doc_id_mapping.mapping_type() == MappingType::Shuffled {
            return Err(TantivyError::InvalidArgument("passages of a merge stay in order".to_owned()));
        }
        let mut merged = PassagesBuilder::default();
        let (mut tokens, mut with_tokens) = (0, 0);
        for reader in context.readers {
            let passages = read_passages(reader)?;
            for doc in reader.doc_ids_alive() {
                let id = passages.id(doc).ok_or_else(|| damaged("an id that is not text".to_owned()))?;
                merged.push(passages.ord(doc), id);
            }
            tokens += passages.tokens;
            with_tokens += passages.with_tokens;
        }
        if context.readers.iter().any(SegmentReader::has_deletes) {
            // The engine only estimates what is left; idf and average length are to be exact.
            let segment = context.target_segment.clone().with_max_doc(merged.len() as u32);
            let segment = SegmentReader::open(&segment)?;
            (tokens, with_tokens) =
                (count_tokens(&segment, self.fields)?, count_with_tokens(&segment, self.fields)?);
        }
        write(&merged, tokens, with_tokens, context.target_segment)
    }
}

impl PluginWriter for PassagesWriter {
    fn add_document(&mut self, _: DocId, document: &dyn ErasedDocument, _: &Schema) -> tantivy::Result<()> {
        let missing = || TantivyError::InvalidArgument("a passage has an id and an ord".to_owned());
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
            return Err(TantivyError::InvalidArgument("passages of a segment stay in order".to_owned()));
        }
        let counted = segment.clone().with_max_doc(self.passages.len() as u32);
        let counted = SegmentReader::open(&counted)?;
        let tokens = counted.inverted_index(self.fields.contents)?.total_num_tokens();
        write(&self.passages, tokens, count_with_tokens(&counted, self.fields)?, segment)
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

/// Tokens of a segment, by its postings.
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

/// Passages of a segment with at least one token, by their lengths.
fn count_with_tokens(segment: &SegmentReader, fields: Fields) -> tantivy::Result<u64> {
    let lengths = segment.get_fieldnorms_reader(fields.contents)?;
    Ok((0..segment.max_doc()).filter(|&doc| lengths.fieldnorm_id(doc) > 0).count() as u64)
}

fn write(
    passages: &PassagesBuilder,
    tokens: u64,
    with_tokens: u64,
    to: &tantivy::Segment,
) -> tantivy::Result<()> {
    let mut file = to.open_write(SegmentComponent::Custom(EXTENSION.to_owned()))?;
    passages.write(tokens, with_tokens, &mut file)?;
    file.terminate()?;
    Ok(())
}

fn damaged(what: String) -> TantivyError {
    io::Error::new(io::ErrorKind::InvalidData, what).into()
}
