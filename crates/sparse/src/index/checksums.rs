//! Compares the files of segments with the checksums that tantivy writes at the end of each file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tantivy::directory::error::OpenReadError;
use tantivy::{Index, IndexMeta};

use crate::Error;
use crate::index::corruption::{catch_read_panic, repair_hint};
use crate::index::tantivy_error::tantivy_error;

/// Opening an index verifies all segment files if they have at most this many bytes in total. Otherwise it verifies
/// only the files that [searches read](is_searched), if these have at most this many bytes in total.
pub(crate) const MAX_BYTES_VERIFIED_ON_OPEN: u64 = 64 << 20;

/// tantivy reads the last eight bytes of a file without checking that the file has that many.
const MIN_FILE_BYTES: u64 = 8;

/// Returns true for the files that searches read. The others are `store`, which is read only for the contents of hits;
/// `term` and `idx`, which are read only for filters and lookups of ids (searches read the [impacts](crate::postings));
/// and `fieldnorm` and `pos`, which have no data, because tantivy indexes neither lengths nor positions here.
pub(crate) fn is_searched(file: &Path) -> bool {
    const OTHERS: [&str; 5] = ["store", "term", "idx", "fieldnorm", "pos"];
    file.extension().is_none_or(|extension| !OTHERS.iter().any(|other| extension == *other))
}

/// Verifies the segment files of a commit that are not in `verified`, and adds them to `verified`. If these files have
/// more than `max_bytes` in total, it verifies only those that [searches read](is_searched), or none if those also have
/// more than `max_bytes`. The caller must hold tantivy's meta lock, so that no writer removes the files meanwhile.
pub(crate) fn verify(
    index: &Index,
    meta: &IndexMeta,
    path: &Path,
    verified: &mut HashSet<PathBuf>,
    max_bytes: u64,
) -> Result<(), Error> {
    let segment_files = meta.list_segment_files();
    let unverified = segment_files.iter().filter(|file| !verified.contains(*file));
    // Missing files are skipped here: opening the segment fails if it requires the file.
    let with_sizes = unverified.filter_map(|file| Some((file, path.join(file).metadata().ok()?.len())));
    let (mut files, others): (Vec<(&PathBuf, u64)>, Vec<_>) =
        with_sizes.partition(|(file, _)| is_searched(file));
    let total = |files: &[(&PathBuf, u64)]| files.iter().map(|(_, bytes)| bytes).sum::<u64>();
    if total(&files) + total(&others) <= max_bytes {
        files.extend(others);
    } else if total(&files) > max_bytes {
        files.clear();
    }
    for (file, bytes) in &files {
        if *bytes < MIN_FILE_BYTES {
            let got = format!("{bytes} bytes");
            return Err(Error::corrupt(&path.join(file), "a file with a checksum at its end", got));
        }
        let matches = index.directory().validate_checksum(file);
        if !matches.map_err(|error| tantivy_error("open", path, error.into()))? {
            return Err(mismatch(&path.join(file), "a different checksum"));
        }
    }
    verified.extend(files.into_iter().map(|(file, _)| file.clone()));
    verified.retain(|file| segment_files.contains(file));
    Ok(())
}

/// Returns true if a segment file exists and matches its checksum.
pub(crate) fn matches_checksum(index: &Index, path: &Path, file: &Path) -> tantivy::Result<bool> {
    match path.join(file).metadata() {
        Ok(metadata) if metadata.len() < MIN_FILE_BYTES => return Ok(false),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        metadata => {
            metadata?;
        }
    }
    match index.directory().validate_checksum(file) {
        // An error that does not come from the operating system is about the content.
        Err(OpenReadError::IoError { io_error, .. }) if io_error.raw_os_error().is_none() => Ok(false),
        Err(OpenReadError::IncompatibleIndex(_)) => Ok(false),
        checked => Ok(checked?),
    }
}

/// Returns the first segment file of a commit that does not match its checksum. Files that cannot be read are skipped.
pub(crate) fn find_mismatch(index: &Index, meta: &IndexMeta) -> Option<PathBuf> {
    let is_corrupt = |file: &PathBuf| {
        // tantivy panics if the file has fewer than `MIN_FILE_BYTES`.
        match catch_read_panic(|| Ok(index.directory().validate_checksum(file))) {
            Ok(Ok(matches)) => !matches,
            Ok(Err(OpenReadError::IoError { io_error, .. })) => io_error.raw_os_error().is_none(),
            Ok(Err(OpenReadError::FileDoesNotExist(_))) => false,
            Ok(Err(_)) | Err(_) => true,
        }
    };
    // Sorted by name, so that the same damage always gives the same error.
    let mut files: Vec<PathBuf> = meta.list_segment_files().into_iter().collect();
    files.sort_unstable();
    files.into_iter().find(is_corrupt)
}

/// Returns the error for a file that does not match its checksum. `got` says what was found instead.
pub(crate) fn mismatch(file: &Path, got: &str) -> Error {
    Error::corrupt(file, "a file that matches its checksum", format!("{got}{}", repair_hint(file)))
}
