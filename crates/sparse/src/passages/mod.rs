//! The passage file of each segment: the ord and the id of each passage, and the counts of tokens that BM25 needs.
//!
//! tantivy could store ids too, but only in compressed blocks of documents; here, the id of a hit is one slice of a
//! memory-mapped file. [`builder`] writes the file, [`file`] reads it, and [`plugin`] makes tantivy write it together
//! with its own files. [`ord_set`] collects the ords of passages quickly.

pub(crate) mod builder;
pub(crate) mod file;
pub(crate) mod ord_set;
pub(crate) mod plugin;
