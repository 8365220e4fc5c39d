//! Decides whether a panic during reading was caused by a corrupt index file or by a bug.
//!
//! A corrupt file can cause a panic, because neither tantivy nor our scorers validate every byte that they read.
//! Usually the corruption is detected earlier: opening an index compares its files with their checksums; see
//! [`checksums`](super::checksums). But this comparison is skipped for large indexes, and a file can match its checksum
//! although its content is invalid. So a panic is reported as a corrupt file in two cases:
//!
//! - The panic came from code that opens files or decodes postings ([`catch_read_panic`]), or from tantivy while it
//!   merged segments ([`tantivy_error`](super::tantivy_error::tantivy_error)).
//! - The panic came from a search or another function that reads a commit, and a file of the commit does not match its
//!   checksum. The files are compared after the panic ([`Snapshot::read`](super::snapshot::Snapshot::read)).
//!
//! Every other panic is a bug and is reported as an internal error. It is not caught here, except in our part of a
//! merge ([`report_bugs`]).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tantivy::TantivyError;
use tantivy::error::DataCorruption;

/// Runs code that reads index files and is known to panic if the files are corrupt. The panic becomes
/// [`TantivyError::DataCorruption`]. `read` must not contain code that could panic for other reasons.
pub(crate) fn catch_read_panic<T>(read: impl FnOnce() -> tantivy::Result<T>) -> tantivy::Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let text = format!("a panic while reading: {}", panics::description(&*panic));
        Err(TantivyError::DataCorruption(DataCorruption::comment_only(text)))
    })
}

/// Runs our part of a merge. tantivy catches all panics of a merge and does not report whose code panicked. Panics of
/// our code become [`TantivyError::InternalError`] here, so that all other panics can be reported as corrupt files.
pub(crate) fn report_bugs<T>(work: impl FnOnce() -> tantivy::Result<T>) -> tantivy::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = format!("a bug while merging: {}", panics::description(&*panic));
        Err(TantivyError::InternalError(text))
    })
}

/// Returns how to repair a missing or damaged file, for the end of an error message; an empty text if it cannot be
/// repaired.
pub(crate) fn repair_hint(file: &Path) -> &'static str {
    if file.extension().is_some_and(|extension| extension == "impacts") {
        "; if its passages are stored, `passagekit doctor --repair` or `Bm25Index.repair` rebuilds it"
    } else {
        ""
    }
}
