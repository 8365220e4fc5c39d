//! Making one segment of all.

use std::path::Path;
use std::time::Duration;

use tantivy::index::SegmentMeta;
use tantivy::{Index, TantivyError};

use crate::Error;
use crate::index::integrity::engine_error;
use crate::index::snapshot::Snapshot;

/// How often a merge of the same segments is tried again, 5 ms apart.
const RETRIES: u32 = 200;

/// Merges the segments of a commit, until there is one without deleted passages, or none.
pub(crate) fn merge_all(
    engine: &mut tantivy::IndexWriter,
    index: &Index,
    committed: &Snapshot,
    path: &Path,
) -> Result<(), Error> {
    let error = |error| engine_error("merge", path, error);
    let (mut tried, mut failures) = (Vec::new(), 0);
    loop {
        let mut segments = index.searchable_segment_metas().map_err(error)?;
        if segments.len() <= usize::from(segments.iter().all(|segment| !segment.has_deletes())) {
            return Ok(());
        }
        // In the order of their passages, as far as segments do not overlap.
        let first_ord = |id| {
            let opened = committed.segments.iter().find(|segment| segment.reader.segment_id() == id);
            opened.and_then(|segment| segment.passages.ord_range()).map_or(u32::MAX, |(first, _)| first)
        };
        segments.sort_by_key(|segment| first_ord(segment.id()));
        let ids: Vec<_> = segments.iter().map(SegmentMeta::id).collect();
        failures = if ids == tried { failures } else { 0 };
        tried.clone_from(&ids);
        match engine.merge(&ids).wait() {
            // A merge in the background took some of the segments first; the list will say so in a moment.
            Err(TantivyError::InvalidArgument(_)) if failures < RETRIES => {
                failures += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            result => {
                result.map_err(error)?;
            }
        }
    }
}
