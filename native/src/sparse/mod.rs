//! BM25 indexes.

mod analyzer;
mod explanation;
mod index;
mod ingest;
mod queries;
mod writer;

pub use index::NativeBm25Index;
