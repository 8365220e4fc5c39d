//! Merges all segments of the last commit into one.

use std::path::Path;
use std::time::Duration;

use tantivy::index::SegmentMeta;
use tantivy::{Index, TantivyError};

use crate::Error;
use crate::index::snapshot::Snapshot;
use crate::index::tantivy_error::tantivy_error;

/// Maximum number of retries of a merge of the same segments.
const MAX_RETRIES: u32 = 200;
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// Merges the segments of a commit until at most one segment is left, without deleted passages.
pub(crate) fn merge_all(
    tantivy_writer: &mut tantivy::IndexWriter,
    index: &Index,
    committed: &Snapshot,
    path: &Path,
) -> Result<(), Error> {
    let error = |error| tantivy_error("merge", path, error);
    let (mut tried, mut failures) = (Vec::new(), 0);
    loop {
        let mut segments = index.searchable_segment_metas().map_err(error)?;
        // A single segment is merged too, if it has deleted passages to remove.
        if segments.len() <= usize::from(segments.iter().all(|segment| !segment.has_deletes())) {
            return Ok(());
        }
        // The segments are sorted by their first ords, so that the ords of the merged segment are in ascending order
        // unless the ranges of ords overlap.
        let first_ord = |id| {
            let segment = committed.segments.iter().find(|segment| segment.reader.segment_id() == id);
            segment.and_then(|segment| segment.passages.ord_range()).map_or(u32::MAX, |ords| *ords.start())
        };
        segments.sort_by_key(|segment| first_ord(segment.id()));
        let ids: Vec<_> = segments.iter().map(SegmentMeta::id).collect();
        failures = if ids == tried { failures } else { 0 };
        tried.clone_from(&ids);
        match tantivy_writer.merge(&ids).wait() {
            // Some of the segments are already being merged in the background. The list of segments will change soon.
            Err(TantivyError::InvalidArgument(_)) if failures < MAX_RETRIES => {
                failures += 1;
                std::thread::sleep(RETRY_INTERVAL);
            }
            result => {
                result.map_err(error)?;
            }
        }
    }
}
