//! BM25 over tantivy, with Lucene's analyzer, Lucene's arithmetic and Lucene's scores, bit for bit.
//!
//! tantivy keeps the index: segments, merges, deletes, commits. The analyzer, the scorer and a file of ids in each
//! segment are ours.
//!
//! ```
//! use control::Control;
//! use sparse::{Analyzer, Bm25, Bm25Index, IndexWriter, WriterOptions};
//!
//! let path = std::env::temp_dir().join(format!("sparse-doc-{}", std::process::id()));
//! let mut writer = IndexWriter::create(&path, Analyzer::English, WriterOptions::default())?;
//! writer.add("p1", Some("Bridges"), "The bridge was built by Romans.")?;
//! writer.add("p2", None, "Romans built roads and bridges.")?;
//! writer.add("p3", None, "Nothing of the kind.")?;
//! writer.commit()?;
//!
//! let searcher = Bm25Index::open(&path)?.searcher();
//! let hits = searcher.search("who built the bridge?", 10, Bm25::default(), &Control::new())?;
//! assert_eq!(searcher.ids(&hits)?, ["p1", "p2"]);
//! let why = searcher.explain("who built the bridge?", "p1", Bm25::default())?;
//! assert_eq!(why.score, hits[0].score);
//! # drop(writer);
//! # std::fs::remove_dir_all(path).ok();
//! # Ok::<(), sparse::Error>(())
//! ```

mod analyzer;
mod backlog;
mod bm25;
mod characters;
mod english;
mod error;
mod explain;
mod folder;
mod id_set;
mod index;
mod integrity;
mod merging;
mod passages;
mod passages_plugin;
mod porter;
mod query;
mod schema;
mod scorer;
mod searcher;
mod segments;
mod selection;
mod statistics;
mod tokenizer;
mod words;
mod writer;
mod writer_options;

pub use analyzer::Analyzer;
pub use bm25::Bm25;
pub use error::Error;
pub use explain::{Explanation, TermExplanation};
pub use index::Bm25Index;
pub use searcher::Searcher;
pub use statistics::Statistics;
pub use writer::IndexWriter;
pub use writer_options::WriterOptions;
