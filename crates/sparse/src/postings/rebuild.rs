//! Rebuilds missing and damaged impact files from stored passages, for repairs.

use std::io;
use std::path::{Path, PathBuf};

use tantivy::directory::Directory;
use tantivy::directory::error::{DeleteError, OpenReadError};
use tantivy::index::{SegmentComponent, SegmentReader};
use tantivy::schema::{Field, Value};
use tantivy::{Index, Segment, TantivyDocument, TantivyError};

use super::collector::PostingsCollector;
use super::plugin::{EXTENSION, write_file};
use crate::Analyzer;
use crate::analysis::contents_of;
use crate::index::checksums::matches_checksum;
use crate::index::corruption::catch_read_panic;
use crate::stored::encoding::decode;

/// Number of decompressed blocks of stored passages to cache. Passages are read in order, so one is enough.
const CACHED_BLOCKS: usize = 1;

/// Rewrites the missing and damaged impact files of the last commit (an interrupted repair can also leave a damaged
/// file), and returns their number. A file can be rebuilt if all passages of its segment, including deleted ones, were
/// stored with their titles and texts, and if all other files of the segment are intact: an impact file that is built
/// from wrong texts would have a valid checksum. Other segments are skipped. The postings of a segment must fit in
/// memory. The caller must hold tantivy's writer lock.
pub(crate) fn rebuild_damaged(
    index: &Index,
    path: &Path,
    analyzer: &Analyzer,
    stored: Field,
) -> tantivy::Result<u64> {
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
        let postings = match analyze_stored(&segment, analyzer, stored) {
            Ok(Some(postings)) => postings,
            Ok(None) | Err(TantivyError::DataCorruption(_)) => continue,
            Err(TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_))) => continue,
            Err(error) => return Err(error),
        };
        match directory.delete(&impacts) {
            Ok(()) | Err(DeleteError::FileDoesNotExist(_)) => {}
            Err(error) => return Err(io::Error::other(error.to_string()).into()),
        }
        write_file(&segment, |file| postings.write(file))
            .inspect_err(|_| drop(directory.delete(&impacts)))?;
        rebuilt += 1;
    }
    if rebuilt > 0 {
        directory.sync_directory()?;
    }
    Ok(rebuilt)
}

/// Analyzes the stored passages of a segment again. Returns `None` if a passage is not stored.
fn analyze_stored(
    segment: &Segment,
    analyzer: &Analyzer,
    stored: Field,
) -> tantivy::Result<Option<PostingsCollector>> {
    let mut postings = PostingsCollector::new(analyzer.clone());
    let store = catch_read_panic(|| Ok(SegmentReader::open(segment)?.get_store_reader(CACHED_BLOCKS)?))?;
    for doc in 0..segment.meta().max_doc() {
        let document: TantivyDocument = catch_read_panic(|| store.get(doc))?;
        let passage = document.get_first(stored).and_then(|stored| stored.as_bytes().and_then(decode));
        let Some((title, text)) = passage else { return Ok(None) };
        postings.add(&contents_of(title.as_deref(), &text));
    }
    Ok(Some(postings))
}
