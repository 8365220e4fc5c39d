//! BM25 over tantivy, with Lucene's English analyzer, Lucene's arithmetic and Lucene's scores, bit for bit.
//!
//! tantivy keeps the index: segments, merges, deletes, commits. The analyzers, the scorer and a file of ids in each
//! segment are ours.
//!
//! ```
//! use control::Control;
//! use sparse::{Analyzer, Bm25, Bm25Index, Filter, IndexWriter, PassageFields, WriterOptions};
//!
//! let path = std::env::temp_dir().join(format!("sparse-doc-{}", std::process::id()));
//! let mut writer = IndexWriter::create(&path, Analyzer::ENGLISH, WriterOptions::default())?;
//! writer.add("p1", Some("Bridges"), "The bridge was built by Romans.")?;
//! writer.add("p2", None, "Romans built roads and bridges.")?;
//! let fields = PassageFields::from([("year".to_owned(), 1932.0.into())]);
//! writer.add_with_fields("p3", None, "A bridge of steel.", &fields)?;
//! writer.commit()?;
//!
//! let searcher = Bm25Index::open(&path)?.searcher();
//! let hits = searcher.search("who built the bridge?", 10, Bm25::default(), &Control::new())?;
//! assert_eq!(searcher.ids(&hits)?, ["p1", "p2", "p3"]);
//! let why = searcher.explain("who built the bridge?", "p1", Bm25::default())?;
//! assert_eq!(why.score, hits[0].score);
//!
//! let dated = Filter::Exists { field: "year".to_owned() };
//! let dated = searcher.filtered(Some(&dated), &Control::new())?;
//! assert_eq!(dated.search("bridges", 10, Bm25::default(), &Control::new())?[0].score, hits[2].score);
//! # drop(writer);
//! # std::fs::remove_dir_all(path).ok();
//! # Ok::<(), sparse::Error>(())
//! ```

mod analyzer;
mod analyzer_record;
mod backlog;
mod bm25;
mod bounded;
mod candidates;
mod characters;
mod english;
mod error;
mod exact;
mod explain;
mod fields;
mod filter;
mod filter_cache;
mod filtered;
mod folder;
mod id_set;
mod impacts;
mod index;
mod integrity;
mod known_fields;
mod long_cursor;
mod merging;
mod passage_set;
mod passages;
mod passages_plugin;
mod porter;
mod query;
mod repair;
mod rescore;
mod resolve;
mod runs;
mod scale;
mod schema;
mod scorer;
mod searcher;
mod segments;
mod selection;
mod snowball;
mod statistics;
mod stop_words;
mod term_cache;
mod terms;
mod tokenizer;
mod word_memory;
mod word_pieces;
mod words;
mod writer;
mod writer_options;

pub use analyzer::Analyzer;
pub use bm25::Bm25;
pub use error::Error;
pub use explain::{Explanation, TermExplanation};
pub use fields::{FieldValue, PassageFields, Scalar};
pub use filter::{Filter, Range};
pub use filtered::FilteredSearcher;
pub use index::Bm25Index;
pub use repair::Repair;
pub use searcher::Searcher;
pub use snowball::Language;
pub use statistics::Statistics;
pub use storage::OpenOptions;
pub use writer::IndexWriter;
pub use writer_options::WriterOptions;
