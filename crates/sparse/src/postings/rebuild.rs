//! Rebuilds impact files from tantivy's postings: in memory if a file has a different version or an invalid header
//! or length ([`open_impact_file`]), and on disk if a file is missing or corrupt ([`rebuild_damaged`], for repairs).

use std::io;
use std::path::{Path, PathBuf};

use tantivy::directory::error::DeleteError;
use tantivy::directory::{Directory, OwnedBytes};
use tantivy::index::{SegmentComponent, SegmentReader};
use tantivy::schema::Field;
use tantivy::{Index, InvertedIndexReader, TantivyError};

use super::builder::build;
use super::file::ImpactFile;
use super::plugin::{EXTENSION, write};
use crate::index::checksums::matches_checksum;
use crate::index::corruption::catch_tantivy;

/// Opens the impact file of a segment. Builds a replacement in memory if the file has a different version, if its
/// number of passages or terms differs from the segment's, or if its header or length is invalid.
pub(crate) fn open_impact_file(
    segment: &SegmentReader,
    terms: &InvertedIndexReader,
    fieldnorms: &[u8],
) -> tantivy::Result<ImpactFile> {
    let (passages, term_count) = (fieldnorms.len(), terms.terms().num_terms() as u64);
    let bytes = segment.open_read(SegmentComponent::Custom(EXTENSION.to_owned()))?.read_bytes()?;
    if let Ok(file) = ImpactFile::open(bytes, passages, term_count) {
        return Ok(file);
    }
    let mut bytes = Vec::new();
    build(terms, fieldnorms, &mut bytes)?;
    ImpactFile::open(OwnedBytes::new(bytes), passages, term_count).map_err(TantivyError::InternalError)
}

/// Rewrites the missing and damaged impact files of the last commit (an interrupted repair can also leave a damaged
/// file), and returns their number. Segments with other corrupt files are skipped: their postings may be wrong, and an
/// impact file that is built from wrong postings would have a valid checksum. The caller must hold tantivy's writer
/// lock.
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
        let reader = catch_tantivy(|| SegmentReader::open(&segment))?;
        write(&segment, &reader, contents).inspect_err(|_| drop(directory.delete(&impacts)))?;
        rebuilt += 1;
    }
    if rebuilt > 0 {
        directory.sync_directory()?;
    }
    Ok(rebuilt)
}
