//! Flat and HNSW indexes of vectors: exact and approximate search by inner product, cosine or Euclidean distance.
//!
//! ```
//! use control::Control;
//! use dense::{FlatIndex, Similarity};
//!
//! let mut index = FlatIndex::new(2, Similarity::Dot, serde_json::Value::Null)?;
//! index.add(vec!["east".into(), "north".into()], &[1.0, 0.0, 0.0, 1.0])?;
//!
//! let hits = index.search(&[1.0, 3.0], 1, &Control::new())?;
//! assert_eq!((index.id(hits[0].ord), hits[0].score), ("north", 3.0));
//! # Ok::<(), dense::Error>(())
//! ```
//!
//! A *row* is a vector with its id; its position in the index, from 0, is its *ord*. A [`FlatIndex`] finds exactly the
//! best rows. An [`HnswIndex`] finds most of them in less time, by scoring only the rows to which a graph of near
//! neighbors leads. Both use the module `store` for their rows. In a [`GrowingIndex`], rows have no ids, and searches
//! find them even before they are in the graph.
//!
//! | module | contents |
//! |---|---|
//! | `store` | rows (vectors, ids, tombstones, and staged rows, which searches do not find), in memory or in a file |
//! | `similarity` | checks, scales and scores vectors |
//! | `exact` | scans of all vectors |
//! | `quantized` | the storage `int8Rescored`: exact search in which int8 codes first rule out most rows |
//! | `flat` | the exact index, its file and its writer |
//! | `hnsw` | the approximate indexes: their graph, codes, searches and planner |
//! | `filter`, `row_set` | searches restricted to some rows |
//! | `phrases` | indexes with several rows per passage |
//! | `error` | the error type |

#[cfg(target_endian = "big")]
compile_error!("index files are little-endian and are read in place");

mod error;
mod exact;
mod filter;
mod flat;
mod hnsw;
mod phrases;
mod quantized;
mod row_set;
mod similarity;
mod store;

/// What the benchmark `planner` needs to calibrate the planner of HNSW searches. Not for applications.
#[doc(hidden)]
pub mod calibration {
    pub use crate::hnsw::{ForcedStrategy, SearchCosts};
}

pub use error::Error;
pub use filter::{Allow, Filter};
pub use flat::{FlatIndex, FlatWriter, Storage};
pub use hnsw::{
    DEFAULT_EF_SEARCH, GraphCopy, GrowingIndex, HnswIndex, HnswOptions, InnerProduct, Layout, MappedGraph,
};
pub use phrases::{
    PASSAGE_SEPARATOR, PHRASES_KEY, first_of_passages, has_phrases, passage_of, search_passages,
};
pub use row_set::RowSet;
pub use similarity::Similarity;
pub use storage::OpenOptions;
pub use store::ids::id_strings::RowIds;
pub use store::staged::{Longest, Put};
