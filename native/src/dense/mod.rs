//! Vector indexes: flat indexes and HNSW indexes. An index has one row per vector.
//!
//! `index` has the JavaScript object of an open index, with its searches and changes; `open` creates and opens indexes,
//! and `options` has their options. `vector_batch` receives vectors and ids from JavaScript. `filter` has
//! the JavaScript object of a filter of rows, `filters` creates and combines such filters, `ids` lists ids and vectors, and `phrases` is for indexes with a row per phrase. `build` and
//! `vector_files` build, import and export files.

mod build;
mod filter;
mod filters;
mod ids;
mod index;
mod open;
mod options;
mod phrases;
mod vector_batch;
mod vector_files;

pub use options::{parse_layout, parse_metadata, parse_similarity};
pub use vector_batch::VectorBatch;
