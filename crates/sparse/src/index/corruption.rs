//! Panics while an index is read: caused by a corrupt file, or by a bug.
//!
//! tantivy does not validate everything that it reads, so a corrupt file can make it panic, and so can a corrupt impact
//! file, whose bytes the scorers do not check one by one. Usually the checksums expose such a file when the index is
//! opened, see [`checksums`](super::checksums). They do not if the index is too large to be read then, or if somebody
//! made a file with a valid checksum. So a panic counts as damage in two cases only:
//!
//! - it comes out of a call into tantivy that opens files, decodes postings or merges segments ([`catch_tantivy`]), or
//! - a file of the commit does not match its checksum when all are compared after the panic
//!   ([`Snapshot::read`](super::snapshot::Snapshot::read)).
//!
//! Every other panic is a bug and continues, so that the caller sees an internal error.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tantivy::TantivyError;
use tantivy::error::DataCorruption;

/// Runs a call into tantivy that reads index files and is known to panic if they are corrupt. The panic becomes
/// [`TantivyError::DataCorruption`]. `read` must contain no code of ours that could panic.
pub(crate) fn catch_tantivy<T>(read: impl FnOnce() -> tantivy::Result<T>) -> tantivy::Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let text = format!("a panic while reading: {}", panics::description(&*panic));
        Err(TantivyError::DataCorruption(DataCorruption::comment_only(text)))
    })
}

/// Runs our part of a merge. tantivy catches all panics of a merge and does not say whose they are; ours become
/// [`TantivyError::InternalError`] here, so that the others can be taken for damage.
pub(crate) fn report_bugs<T>(work: impl FnOnce() -> tantivy::Result<T>) -> tantivy::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = format!("a bug while merging: {}", panics::description(&*panic));
        Err(TantivyError::InternalError(text))
    })
}
