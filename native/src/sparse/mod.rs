//! BM25 indexes: `index` searches them and `writer` changes them. `queries` receives batches of queries and returns
//! hits, `analyzer` converts analyzers, and `explanation` converts explanations of scores.

mod analyzer;
mod explanation;
mod index;
mod queries;
mod writer;

pub use analyzer::NativeAnalyzer;
pub use index::NativeBm25Index;
