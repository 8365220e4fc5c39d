//! The tantivy plugin that writes a segment's impact file whenever tantivy writes the segment: after passages have been
//! added ([`PluginWriter::serialize`]), and after segments have been merged ([`SegmentPlugin::merge`]). In both cases,
//! the plugin reads the postings that tantivy has just written.

use std::any::Any;
use std::io::{BufWriter, Write};

use tantivy::TantivyError;
use tantivy::directory::{CompositeFile, OwnedBytes, TerminatingWrite};
use tantivy::index::{SegmentComponent, SegmentReader};
use tantivy::indexer::DocIdMapping;
use tantivy::plugin::{PluginMergeContext, PluginWriter, PluginWriterContext, SegmentPlugin};
use tantivy::schema::Field;

use super::builder::build;
use crate::index::corruption::{catch_tantivy, report_bugs};

/// Extension of impact files.
pub(super) const EXTENSION: &str = "impacts";

pub(crate) struct ImpactPlugin {
    /// The tantivy field whose postings the impact file contains.
    pub contents: Field,
}

/// Counts the passages that are added to a new segment, and writes the impact file at the end.
struct ImpactWriter {
    contents: Field,
    /// Number of passages added so far.
    passages: u32,
}

/// Returns the fieldnorm of each passage of a segment: Lucene's `SmallFloat.intToByte4` of the passage's token
/// count.
pub(crate) fn read_fieldnorms(segment: &SegmentReader, contents: Field) -> tantivy::Result<OwnedBytes> {
    let fieldnorms = CompositeFile::open(&segment.open_read(SegmentComponent::FieldNorms)?)?;
    let fieldnorms = fieldnorms.open_read(contents).map(|file| file.read_bytes()).transpose()?;
    Ok(fieldnorms.unwrap_or_else(OwnedBytes::empty))
}

/// Writes the impact file of a segment that tantivy is still writing. The segment's metadata does not have the number
/// of passages yet, so the caller passes this number.
fn write_new(segment: &tantivy::Segment, passages: u32, contents: Field) -> tantivy::Result<()> {
    let reader = catch_tantivy(|| SegmentReader::open(&segment.clone().with_max_doc(passages)))?;
    write(segment, &reader, contents)
}

/// Writes the impact file of a segment whose other files exist.
pub(super) fn write(
    segment: &tantivy::Segment,
    reader: &SegmentReader,
    contents: Field,
) -> tantivy::Result<()> {
    let (terms, fieldnorms) =
        catch_tantivy(|| Ok((reader.inverted_index(contents)?, read_fieldnorms(reader, contents)?)))?;
    let mut file = BufWriter::with_capacity(
        1 << 16,
        segment.open_write(SegmentComponent::Custom(EXTENSION.to_owned()))?,
    );
    build(&terms, &fieldnorms, &mut file)?;
    file.flush()?;
    let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    file.terminate()?;
    Ok(())
}

impl SegmentPlugin for ImpactPlugin {
    fn extensions(&self) -> &[&str] {
        &[EXTENSION]
    }

    fn create_writer(&self, _: &PluginWriterContext) -> tantivy::Result<Box<dyn PluginWriter>> {
        Ok(Box::new(ImpactWriter { contents: self.contents, passages: 0 }))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        let passages = context.readers.iter().map(SegmentReader::num_docs).sum();
        report_bugs(|| write_new(context.target_segment, passages, self.contents))
    }
}

impl PluginWriter for ImpactWriter {
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
            return Err(TantivyError::InvalidArgument(
                "a segment must keep its passages in order".to_owned(),
            ));
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
