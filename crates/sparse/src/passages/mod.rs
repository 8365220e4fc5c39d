//! The passage file of each segment: the ord and the id of each passage, and counts that BM25 needs exactly.
//!
//! tantivy could store ids too, but only in compressed blocks of documents; here, the id of a hit is one slice of a
//! memory-mapped file. [`plugin`] has tantivy write the file together with its own.

pub(crate) mod builder;
pub(crate) mod file;
pub(crate) mod plugin;
