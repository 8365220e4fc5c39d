//! Titles and texts that the index stores, for callers that keep no copy of their passages elsewhere.
//!
//! [`IndexWriter::put_stored`](crate::IndexWriter::put_stored) adds such a passage. tantivy stores title and text
//! ([`encoding`]) next to the fields, in compressed blocks of passages, and [`passage`] reads them back.

pub(crate) mod encoding;
pub(crate) mod passage;

pub use passage::StoredPassage;
