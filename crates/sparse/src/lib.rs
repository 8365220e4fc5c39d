//! BM25 on top of tantivy, with scores that equal Lucene's bit for bit, and analyzers for English (Lucene's) and other
//! languages.
//!
//! tantivy maintains the index: segments, merges, deletions and commits. The analyzers, the scorers, and two files in
//! each segment are ours: the passage file, which has the ids (module `passages`), and the impact file, which has the
//! terms of titles and texts, and their postings in the form that the scorers read (module `postings`).
//!
//! [`IndexWriter`] changes an index, [`Bm25Index`] opens it for searching, and [`Searcher`] searches one commit of it.
//!
//! A *passage* is what Lucene and tantivy call a document. It has three numbers, all from 0: its *ord*, which it keeps
//! for as long as it is in the index; its place in its segment, tantivy's `DocId`; and its *position* among all
//! passages of one commit, segment after segment. A *field* of a passage is metadata that filters can test, such as a
//! year.
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
//! // Only p3 has a year. Both queries share just the term "bridg" with it, and a filter does not change scores.
//! let has_year = Filter::Exists { field: "year".to_owned() };
//! let filtered = searcher.filtered(Some(&has_year), &Control::new())?;
//! assert_eq!(filtered.search("bridges", 10, Bm25::default(), &Control::new())?[0].score, hits[2].score);
//! # drop(writer);
//! # std::fs::remove_dir_all(path).ok();
//! # Ok::<(), sparse::Error>(())
//! ```

mod analysis;
mod bm25_index;
mod columns;
mod error;
mod filter;
mod index;
mod passages;
mod postings;
mod repair;
mod scoring;
mod search;
mod stored;
mod writer;

/// What the benchmark `planner` needs to calibrate the planner of searches. Not for applications.
#[doc(hidden)]
pub mod calibration {
    pub use crate::search::planner::{Scorer, SearchCosts, SearchWork};
}

pub use analysis::analyzer::Analyzer;
pub use analysis::snowball::Language;
pub use bm25_index::Bm25Index;
pub use error::Error;
pub use filter::expression::{Filter, Range};
pub use filter::fields::{FieldValue, PassageFields, Scalar, check_fields};
pub use repair::Repair;
pub use scoring::bm25::Bm25;
pub use scoring::statistics::Statistics;
pub use search::explain::{Explanation, TermExplanation};
pub use search::filtered_searcher::FilteredSearcher;
pub use search::prepared_query::{MAX_QUICK_TEXT_BYTES, PreparedQuery};
pub use search::searcher::Searcher;
pub use storage::OpenOptions;
pub use stored::StoredPassage;
pub use writer::IndexWriter;
pub use writer::documents::Put;
pub use writer::options::WriterOptions;
