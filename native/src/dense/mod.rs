//! Flat and HNSW indexes.
//!
//! `index` has the JavaScript object of an open index, with its searches and changes; `open` creates and opens it, with
//! `options`. `vector_batch` receives vectors and ids from JavaScript. `filter` and `filters` limit searches, `ids`
//! lists ids and vectors, and `phrases` is for indexes with a row per phrase. `build` and `vector_files` build, import
//! and export files.

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
