//! Titles and texts that the index stores, for callers that keep no copy of their passages elsewhere.
//!
//! [`IndexWriter::put_stored`](crate::IndexWriter::put_stored) adds a passage and stores its title and text.
//! [`encoding`] joins them into one byte string, which tantivy stores next to the passage's fields, in compressed
//! blocks of passages. [`passage`] reads stored passages.

pub(crate) mod encoding;
pub(crate) mod passage;

pub use passage::StoredPassage;
