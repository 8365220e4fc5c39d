//! Documents with text, fields and vectors that are searched while they change.
//!
//! A [`Collection`] is an open folder. It has a BM25 index, which also stores titles, texts and fields, and it may have
//! one vector per passage. Documents are [added, replaced](Collection::put) and [deleted](Collection::delete) by id. A
//! [commit](Collection::commit) covers all parts: it first flushes the new vectors to the disk, and then commits the
//! BM25 index. The commit of the BM25 index records how many vectors belong to it, so one atomic rename switches
//! everything. The cost of a commit depends on the size of the change.
//!
//! | module | contents |
//! |---|---|
//! | `collection`, `handles`, `sharing` | the open collection, and how several threads share it |
//! | `view` | what searches see: the parts of one commit, under one lock |
//! | `write` | the writer, its lock, and optimization |
//! | `vectors` | the log of vectors on the disk, and the vectors in memory |
//! | `graph_builder` | the background thread that inserts vectors into the HNSW graph |
//! | `search`, `filter` | requests, fusion, pages of hits, searches for callers that must not block |
//! | `document` | documents, and the ids of their passages |
//! | `folder`, `state` | the files of a collection, and what a commit records |
//!
//! Each passage has an *ord*, a number that the passage keeps until it is deleted. The vector index has a *row* for
//! each passage; the rows are in the order of the ords.
//!
//! ```
//! use collection::{Collection, CreateOptions, Include, NewDocument, NewPassage, NewVector, OpenOptions, Put};
//! use collection::{Request, Retriever, VectorOptions};
//! use control::Control;
//! use dense::{HnswOptions, Similarity};
//! use sparse::{Analyzer, Bm25, PassageFields};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let vectors = VectorOptions { dim: 2, similarity: Similarity::Dot, graph: HnswOptions::default() };
//! let create = CreateOptions { analyzer: Analyzer::ENGLISH, vectors: Some(vectors), metadata: serde_json::Value::Null };
//! let lamps = Collection::create(folder, &create, OpenOptions::default())?;
//! let passage = NewPassage { title: Some("Desk lamp"), text: "A lamp without a cable.", vector: NewVector::Given(&[1.0, 0.0]) };
//! let fields = PassageFields::from([("price".to_owned(), 39.0.into())]);
//! lamps.put(Put::Add, &[NewDocument { id: "lamp-7", passages: &[passage], fields: &fields }])?;
//! lamps.commit()?;
//!
//! let request = Request {
//!     text: "lamps",
//!     vector: None,
//!     retriever: Retriever::Bm25,
//!     k: 10,
//!     offset: 0,
//!     filter: None,
//!     group_by_document: false,
//!     bm25: Bm25::default(),
//!     ef: 128,
//!     exact: false,
//!     include: Include::default(),
//! };
//! let hits = lamps.search(&request, &Control::new())?;
//! assert_eq!((hits[0].id.as_str(), hits[0].document.as_str()), ("lamp-7#0", "lamp-7"));
//! lamps.close()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod collection;
mod document;
mod error;
mod filter;
mod folder;
mod graph_builder;
mod handles;
mod options;
mod search;
mod sharing;
mod state;
mod stats;
mod vectors;
mod view;
mod write;

pub use collection::Collection;
pub use document::{MAX_ID_BYTES, NewDocument, NewPassage, NewVector, document_of, passage_id, passages_of};
pub use error::Error;
pub use options::{CreateOptions, OpenOptions, Put, VectorOptions};
pub use search::page::{Contents, Found};
pub use search::request::{Include, Request, Retriever};
pub use stats::Stats;
