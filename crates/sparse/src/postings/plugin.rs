//! The tantivy plugin that writes a segment's impact file whenever tantivy writes the segment: after passages have been
//! added ([`PluginWriter::serialize`]), and after segments have been merged ([`SegmentPlugin::merge`]).

use std::any::Any;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tantivy::directory::{OwnedBytes, TerminatingWrite, WritePtr};
use tantivy::index::{SegmentComponent, SegmentReader};
use tantivy::indexer::DocIdMapping;
use tantivy::indexer::doc_id_mapping::MappingType;
use tantivy::plugin::{PluginMergeContext, PluginWriter, PluginWriterContext, SegmentPlugin};
use tantivy::schema::document::ErasedDocument;
use tantivy::schema::{Field, Schema, Value};
use tantivy::{DocId, TantivyDocument, TantivyError};

use super::collector::PostingsCollector;
use super::file::ImpactFile;
use super::merge::{MergeSource, merge};
use super::passage_analysis::{AnalysisSettings, PassageAnalysis};
use crate::index::corruption::{catch_read_panic, report_bugs};

/// Extension of impact files.
pub(super) const EXTENSION: &str = "impacts";

/// Number of bytes that tantivy counts for each new segment, but hardly uses. It counts about 13 MB: a hash table of
/// terms (4 MB), and a page of 1 MB for the postings of terms and for each type of column. Our terms are ids and values
/// of fields only. With the minimum memory of 15 MB, a segment would otherwise be full after fifty passages.
const RESERVED_BYTES: usize = 8_000_000;

pub(crate) struct ImpactPlugin {
    /// The field of tantivy's schema with the title and text of a passage.
    pub contents: Field,
    pub analysis: PassageAnalysis,
}

/// Analyzes the passages that are added to a new segment, and collects their postings.
struct ImpactWriter {
    contents: Field,
    analysis: AnalysisSettings,
    postings: PostingsCollector,
}

/// Returns the name of the impact file of a segment.
pub(crate) fn impact_file_name(segment: &SegmentReader) -> String {
    format!("{}.{EXTENSION}", segment.segment_id().uuid_string())
}

/// Opens the impact file of a segment.
pub(crate) fn open_impact_file(segment: &SegmentReader) -> tantivy::Result<ImpactFile> {
    let bytes = segment.open_read(SegmentComponent::Custom(EXTENSION.to_owned()))?.read_bytes()?;
    open(bytes, segment.max_doc())
}

fn open(bytes: OwnedBytes, passages: DocId) -> tantivy::Result<ImpactFile> {
    catch_read_panic(|| ImpactFile::open(bytes, passages as usize).map_err(corrupt))
}

/// Writes the impact file of a segment with `write`.
pub(super) fn write_file(
    segment: &tantivy::Segment,
    write: impl FnOnce(&mut BufWriter<WritePtr>) -> io::Result<()>,
) -> tantivy::Result<()> {
    let file = segment.open_write(SegmentComponent::Custom(EXTENSION.to_owned()))?;
    let mut file = BufWriter::with_capacity(1 << 16, file);
    write(&mut file)?;
    file.flush()?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.terminate()?;
    Ok(())
}

impl SegmentPlugin for ImpactPlugin {
    fn extensions(&self) -> &[&str] {
        &[EXTENSION]
    }

    fn create_writer(&self, _: &PluginWriterContext) -> tantivy::Result<Box<dyn PluginWriter>> {
        let analysis = self.analysis.get().ok_or_else(|| {
            TantivyError::InternalError("expected an analyzer before the first passage".to_owned())
        })?;
        let postings = PostingsCollector::new(analysis.analyzer.clone());
        Ok(Box::new(ImpactWriter { contents: self.contents, analysis, postings }))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        if context.doc_id_mapping.mapping_type() == MappingType::Shuffled {
            return Err(TantivyError::InvalidArgument("a merge must keep passages in order".to_owned()));
        }
        let index = context.target_segment.index();
        let source = |reader: &SegmentReader| {
            // The merged file will have a valid checksum, so the sources must be intact.
            let name = impact_file_name(reader);
            let matches = catch_read_panic(|| Ok(index.directory().validate_checksum(Path::new(&name))?))?;
            if !matches {
                return Err(corrupt(format!("{name}: a different checksum")));
            }
            let alive = reader.has_deletes().then(|| reader.doc_ids_alive().collect());
            Ok(MergeSource { file: open_impact_file(reader)?, alive })
        };
        report_bugs(|| {
            let sources = context.readers.iter().map(source).collect::<tantivy::Result<Vec<_>>>()?;
            write_file(context.target_segment, |file| merge(sources, file))
        })
    }
}

impl PluginWriter for ImpactWriter {
    fn add_document(&mut self, _: DocId, document: &dyn ErasedDocument, _: &Schema) -> tantivy::Result<()> {
        let document = document.as_any().downcast_ref::<TantivyDocument>();
        let contents = document.and_then(|document| document.get_first(self.contents));
        let text = contents
            .as_ref()
            .and_then(|contents| contents.as_str())
            .ok_or_else(|| TantivyError::InvalidArgument("expected a passage with a text".to_owned()))?;
        self.analysis.backlog.leave(text.len());
        self.postings.add(text);
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
        write_file(segment, |file| self.postings.write(file))
    }

    fn mem_usage(&self) -> usize {
        self.postings.memory_bytes().saturating_sub(RESERVED_BYTES)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

fn corrupt(what: String) -> TantivyError {
    io::Error::new(io::ErrorKind::InvalidData, what).into()
}
